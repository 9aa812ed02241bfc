/** An alert. The heading of its name in docs/operations.md says what it means and what to do. */
export interface Alert {
  readonly name: string
  readonly severity: 'critical' | 'warning'
  /** PromQL: the alert is on while it has a result, which has the labels that `summary` names. */
  readonly expr: string
  /** The time for which it must have had one, such as 5m. */
  readonly for: string
  readonly summary: string
}

const failedPerSecond = (window: string) =>
  `sum by (operation) (rate(cairn_request_seconds_count{status=~"5.."}[${window}]))`
const requestsPerSecond = (window: string) => `sum by (operation) (rate(cairn_request_seconds_count[${window}]))`

/**
 * The alerts, most urgent first. Every process shows all gauges of the index, and those that do not measure show 0:
 * hence the greatest value of all processes.
 */
export const ALERTS: readonly Alert[] = [
  {
    name: 'CairnNoApi',
    severity: 'critical',
    expr: 'absent(cairn_build_info{role=~"api|serve"})',
    for: '2m',
    summary: 'No process that answers requests is scraped.',
  },
  {
    name: 'CairnNoWorker',
    severity: 'critical',
    expr: 'absent(cairn_build_info{role=~"worker|serve"})',
    for: '5m',
    summary: 'No worker is scraped.',
  },
  {
    name: 'CairnPostgresUnavailable',
    severity: 'critical',
    expr: 'min(cairn_dependency_up{dependency="postgres"}) == 0',
    for: '1m',
    summary: 'PostgreSQL does not answer, or takes no writes.',
  },
  {
    name: 'CairnDiskFull',
    severity: 'critical',
    expr: 'sum by (dependency) (increase(cairn_dependency_failures_total{reason="disk_full"}[5m])) > 0',
    for: '0m',
    summary: 'The disk of {{ $labels.dependency }} is full.',
  },
  {
    name: 'CairnDependencyUnavailable',
    severity: 'warning',
    expr: 'min by (dependency) (cairn_dependency_up{dependency!="postgres"}) == 0',
    for: '5m',
    summary: '{{ $labels.dependency }} does not answer, or takes no writes.',
  },
  {
    name: 'CairnRequestsFailing',
    severity: 'critical',
    // The fast burn of an objective of 99.9 %, with a floor: 1.44 % fail in the hour and still do, ten requests at least.
    expr: [
      ...['1h', '5m'].map((window) => `${failedPerSecond(window)} / ${requestsPerSecond(window)} > 0.0144`),
      'sum by (operation) (increase(cairn_request_seconds_count{status=~"5.."}[1h])) >= 10',
    ].join(' and '),
    for: '2m',
    summary: 'Requests of {{ $labels.operation }} are answered 5xx.',
  },
  {
    name: 'CairnRecallDegraded',
    severity: 'warning',
    expr: 'sum by (missing) (rate(cairn_recall_degraded_total[5m])) > 0',
    for: '10m',
    summary: 'Recalls are answered without {{ $labels.missing }}.',
  },
  {
    name: 'CairnIndexLagging',
    severity: 'warning',
    expr: 'max(cairn_index_lag_seconds) > 300',
    for: '1m',
    summary: 'A row has waited {{ $value }} s to be indexed.',
  },
  {
    name: 'CairnIndexIncomplete',
    severity: 'warning',
    expr: 'max by (corpus) (cairn_index_documents) < 0.99 * max by (corpus) (cairn_index_rows)',
    for: '15m',
    summary: 'The index lacks {{ $labels.corpus }}.',
  },
  {
    name: 'CairnIndexRowsFailed',
    severity: 'warning',
    expr: 'max(cairn_index_failed) > 0',
    for: '0m',
    summary: '{{ $value }} rows failed for good.',
  },
  {
    name: 'CairnIndexBuildFailed',
    severity: 'warning',
    expr: 'max(cairn_index_builds{state="failed"}) > 0',
    for: '0m',
    summary: 'The rebuild of the index failed.',
  },
  {
    name: 'CairnSkillScansLagging',
    severity: 'warning',
    expr: 'max(cairn_skill_scan_lag_seconds) > 60',
    for: '1m',
    summary: 'A skill has waited {{ $value }} s for its scan.',
  },
  {
    name: 'CairnJobRowsFailing',
    severity: 'warning',
    expr: 'sum by (job) (rate(cairn_job_rows_total{outcome="failed"}[15m])) > 0',
    for: '15m',
    summary: 'Rows of {{ $labels.job }} keep failing.',
  },
  {
    name: 'CairnQueueGrowing',
    severity: 'warning',
    expr:
      'max by (queue) (min_over_time(cairn_queue_jobs{state="waiting"}[30m])) > 0 ' +
      'and max by (queue) (deriv(cairn_queue_jobs{state="waiting"}[30m])) > 0',
    for: '15m',
    summary: 'The queue {{ $labels.queue }} only grows.',
  },
  {
    name: 'CairnPoolExhausted',
    severity: 'warning',
    expr: 'max by (pool) (cairn_pool_waiting) > 0',
    for: '5m',
    summary: 'Callers wait for a connection of the pool {{ $labels.pool }}.',
  },
  {
    name: 'CairnLimitsOff',
    severity: 'warning',
    expr: 'min(cairn_limit_store_up) == 0',
    for: '5m',
    summary: 'The Redis of the limiters does not answer: no rate limit refuses anybody.',
  },
  {
    name: 'CairnErrorsLogged',
    severity: 'warning',
    expr: 'sum(increase(cairn_log_lines_total{level=~"error|fatal"}[5m])) > 0',
    for: '0m',
    summary: 'Errors are logged.',
  },
  {
    name: 'CairnMixedReleases',
    severity: 'warning',
    expr: 'count(count by (version) (cairn_build_info)) > 1',
    for: '15m',
    summary: 'Processes of {{ $value }} releases run at the same time.',
  },
  {
    name: 'CairnScrapesIncomplete',
    severity: 'warning',
    expr: 'sum(increase(cairn_scrape_failures_total[10m])) > 0',
    for: '10m',
    summary: 'Gauges cannot be read, so other alerts may be silent.',
  },
]
