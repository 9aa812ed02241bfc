interface Panel {
  readonly title: string
  /** A unit of Grafana. */
  readonly unit?: string
  /** PromQL, and the name of its series. */
  readonly queries: readonly (readonly [expr: string, legend: string])[]
}

const RATE_INTERVAL = '[$__rate_interval]'

function quantiles(metric: string, by: string): Panel['queries'] {
  const labels = by === '' ? '' : `, ${by}`
  const legend = by.replace(/\w+/g, '{{$&}}').replaceAll(', ', ' ')
  return [0.5, 0.95].map((quantile) => [
    `histogram_quantile(${quantile}, sum by (le${labels}) (rate(${metric}_bucket${RATE_INTERVAL})))`,
    `p${quantile * 100} ${legend}`.trim(),
  ])
}

function rate(metric: string, by: string): Panel['queries'] {
  const legend = by.replace(/\w+/g, '{{$&}}').replaceAll(', ', ' ')
  return [[`sum by (${by}) (rate(${metric}${RATE_INTERVAL}))`, legend || metric]]
}

/** Returns the greatest value of all processes: one that does not measure a gauge shows 0. */
function greatest(metric: string, by = ''): Panel['queries'] {
  return [[`max by (${by}) (${metric})`, by === '' ? metric : by.replace(/\w+/g, '{{$&}}').replaceAll(', ', ' ')]]
}

/** The rows of the dashboard. Together they show every metric of docs/metrics.md. */
const ROWS: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'At a glance',
    panels: [
      { title: 'Processes', queries: [['count by (role, version) (cairn_build_info)', '{{role}} {{version}}']] },
      {
        title: 'Dependencies that answer and take writes',
        queries: [['min by (dependency) (cairn_dependency_up)', '{{dependency}}']],
      },
      {
        title: 'Faults',
        queries: [
          ['max by (dependency, reason) (cairn_dependency_fault)', '{{dependency}} {{reason}}'],
          ['max by (dependency) (cairn_circuit_open)', '{{dependency}} circuit open'],
        ],
      },
      {
        title: 'Failures by dependency',
        unit: 'ops',
        queries: rate('cairn_dependency_failures_total', 'dependency, reason'),
      },
      { title: 'Lines logged', unit: 'ops', queries: rate('cairn_log_lines_total', 'level') },
      { title: 'Gauges that could not be read', unit: 'ops', queries: rate('cairn_scrape_failures_total', '') },
    ],
  },
  {
    title: 'Requests',
    panels: [
      { title: 'Requests', unit: 'reqps', queries: rate('cairn_request_seconds_count', 'operation, status') },
      { title: 'Time of requests', unit: 's', queries: quantiles('cairn_request_seconds', 'operation') },
      { title: 'Requests in the processes', queries: [['sum by (state) (cairn_requests)', '{{state}}']] },
      { title: 'Refused by limits', unit: 'reqps', queries: rate('cairn_limited_total', 'limit') },
      {
        title: 'Limits without their Redis',
        queries: [
          ['min by (store) (cairn_limit_store_up)', '{{store}} answers'],
          ...rate('cairn_limit_passed_total', ''),
        ],
      },
      { title: 'Memory of bodies', unit: 'bytes', queries: [['sum(cairn_body_bytes)', 'reserved']] },
    ],
  },
  {
    title: 'Recall',
    panels: [
      { title: 'Time of recalls', unit: 's', queries: quantiles('cairn_recall_seconds', '') },
      { title: 'Time of legs', unit: 's', queries: quantiles('cairn_recall_leg_seconds', 'leg, outcome') },
      { title: 'Degraded recalls', unit: 'reqps', queries: rate('cairn_recall_degraded_total', 'missing') },
      { title: 'Texts ranked', unit: 'reqps', queries: rate('cairn_recall_texts_total', 'source') },
      { title: 'Calls of the engine', unit: 's', queries: quantiles('cairn_engine_seconds', 'operation, outcome') },
      { title: 'Calls of models', unit: 's', queries: quantiles('cairn_model_seconds', 'model, lane, outcome') },
    ],
  },
  {
    title: 'Indexing',
    panels: [
      { title: 'Rows to index', queries: [...greatest('cairn_index_pending'), ...greatest('cairn_index_failed')] },
      { title: 'Age of the oldest of them', unit: 's', queries: greatest('cairn_index_lag_seconds') },
      { title: 'Changes indexed', unit: 'ops', queries: rate('cairn_indexed_total', '') },
      { title: 'Time of batches', unit: 's', queries: quantiles('cairn_index_batch_seconds', '') },
      {
        title: 'Documents and rows of the serving index',
        queries: [
          ['max by (corpus) (cairn_index_documents)', 'documents, {{corpus}}'],
          ['max by (corpus) (cairn_index_rows)', 'rows, {{corpus}}'],
        ],
      },
      {
        title: 'Rebuild',
        queries: [
          ...greatest('cairn_index_builds', 'state'),
          ['max by (corpus) (cairn_index_build_rows)', 'rows, {{corpus}}'],
          ['max by (corpus) (cairn_index_build_rows_done)', 'rows done, {{corpus}}'],
        ],
      },
    ],
  },
  {
    title: 'Queues',
    panels: [
      { title: 'Jobs', queries: greatest('cairn_queue_jobs', 'queue, state') },
      { title: 'Time of jobs', unit: 's', queries: quantiles('cairn_job_seconds', 'job, outcome') },
      { title: 'Rows of jobs', unit: 'ops', queries: rate('cairn_job_rows_total', 'job, outcome') },
    ],
  },
  {
    title: 'Skills, Forge and enrichment',
    panels: [
      { title: 'Skills that wait for their scan', queries: greatest('cairn_skill_scans_waiting') },
      { title: 'Age of the oldest of them', unit: 's', queries: greatest('cairn_skill_scan_lag_seconds') },
      { title: 'Time to a verdict', unit: 's', queries: quantiles('cairn_skill_verdict_seconds', 'verdict') },
      { title: 'Opinions on flagged skills', unit: 'ops', queries: rate('cairn_skill_opinions_total', 'outcome') },
      { title: 'Runs of the Forge', unit: 's', queries: quantiles('cairn_forge_run_seconds', 'state') },
      { title: 'Candidates of the Forge', unit: 'ops', queries: rate('cairn_forge_candidates_total', 'outcome') },
      {
        title: 'Memories to enrich',
        queries: [...greatest('cairn_enrichment_waiting'), ...greatest('cairn_enrichment_on')],
      },
      { title: 'Age of the oldest of them', unit: 's', queries: greatest('cairn_enrichment_lag_seconds') },
      { title: 'Memories enriched', unit: 'ops', queries: rate('cairn_enriched_total', 'outcome') },
      {
        title: 'Tokens',
        unit: 'ops',
        queries: [
          ['sum by (direction) (rate(cairn_llm_tokens_total[$__rate_interval]))', 'all, {{direction}}'],
          ['sum by (direction) (rate(cairn_enrichment_tokens_total[$__rate_interval]))', 'enrichment, {{direction}}'],
        ],
      },
      { title: 'Completions', unit: 's', queries: quantiles('cairn_llm_seconds', 'outcome') },
    ],
  },
  {
    title: 'Processes and PostgreSQL',
    panels: [
      { title: 'Connections', queries: [['sum by (pool, state) (cairn_pool_connections)', '{{pool}} {{state}}']] },
      { title: 'Callers that wait for one', queries: [['sum by (pool) (cairn_pool_waiting)', '{{pool}}']] },
      { title: 'CPU', unit: 'percentunit', queries: rate('cairn_process_cpu_seconds_total', 'instance') },
      { title: 'Memory', unit: 'bytes', queries: greatest('cairn_process_resident_memory_bytes', 'instance') },
      { title: 'Event loop, p99', unit: 's', queries: greatest('cairn_nodejs_eventloop_lag_p99_seconds', 'instance') },
    ],
  },
]

const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' }
/** Units of Grafana's grid, of which a line has 24. */
const [WIDTH, HEIGHT] = [8, 8]

/** Returns the dashboard as Grafana imports it; its data source is chosen there. */
export function dashboard(): object {
  const panels: object[] = []
  let y = 0
  for (const row of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    })
    y += 1
    for (const [index, panel] of row.panels.entries()) {
      const gridPos = { x: (index % 3) * WIDTH, y: y + Math.floor(index / 3) * HEIGHT, w: WIDTH, h: HEIGHT }
      panels.push({ id: panels.length + 1, ...timeSeries(panel), gridPos })
    }
    y += Math.ceil(row.panels.length / 3) * HEIGHT
  }
  return {
    uid: 'cairn',
    title: 'cairn',
    tags: ['cairn'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels,
  }
}

function timeSeries({ title, unit = 'short', queries }: Panel): object {
  return {
    type: 'timeseries',
    title,
    datasource: DATA_SOURCE,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATA_SOURCE,
      expr,
      legendFormat,
    })),
  }
}
