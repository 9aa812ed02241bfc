import type { Registry } from 'prom-client'
import { DURATION_BUCKETS, instrumentsIn } from './instruments.js'
import type { Dependency, OutageReason } from './outage-reasons.js'

type ModelKind = 'embedder' | 'language_model' | 'reranker'

interface BuildRows {
  readonly memories: number
  readonly memoriesDone: number
  readonly documents: number
  readonly documentsDone: number
}

/** Metrics that operators watch beside the requests. All durations are seconds; no label contains data of a tenant. */
export interface OperatorMetrics {
  /** Sets the build information. Called once, when the process starts. */
  runs(version: string, role: string): void
  /** Counts a log line by its level. */
  logged(level: string): void
  /** Sets the current state of each dependency. */
  dependencies(states: readonly { readonly dependency: Dependency; readonly reason: OutageReason | null }[]): void
  /** Counts an operation that failed because a dependency is unavailable or takes no writes. */
  outage(dependency: Dependency, reason: OutageReason): void
  /** Observes one call of a model's endpoint, or of a local model; each retry is a call of its own. */
  modelCall(model: ModelKind, lane: string, outcome: string, seconds: number): void
  /** Sets the jobs of a queue by their state; null while the queue does not answer. */
  queue(queue: string, counts: Readonly<Record<string, number>> | null): void
  /** Observes a job, scheduled job or chore. */
  job(job: string, outcome: 'ok' | 'failed', seconds: number): void
  /**
   * Counts the rows of a job that were settled, that failed by their own fault, and that were requeued because of an
   * outage.
   */
  jobRows(job: string, rows: { readonly settled: number; readonly failed: number; readonly released: number }): void
  /** Observes a run of the Forge, with its candidates by outcome. */
  forgeRun(state: 'succeeded' | 'failed', seconds: number, candidates: Readonly<Record<string, number>>): void
  /** Sets the states of the index builds, and the progress of the one in backfill; null for none. */
  builds(states: readonly string[], backfill: BuildRows | null): void
}

const RUN_BUCKETS = [1, 5, 15, 60, 180, 600, 1_800, 3_600]
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace']
const BUILD_STATES = ['waiting', 'backfilling', 'ready', 'failed']
const WITH_CIRCUITS: readonly Dependency[] = ['search', 'embedder', 'language model', 'reranker']
/** Series that start at 0, so that the first failure is an increase. */
const ALWAYS_SHOWN: readonly (readonly [Dependency, OutageReason])[] = [
  ['postgres', 'unreachable'],
  ['postgres', 'disk_full'],
  ['postgres', 'read_only'],
  ['search', 'unreachable'],
  ['search', 'disk_full'],
  ['search', 'read_only'],
  ['queue', 'unreachable'],
  ['queue', 'memory_full'],
]

export function createOperatorMetrics(registers: Registry[]): OperatorMetrics {
  const instruments = createInstruments(registers)
  for (const level of LEVELS) instruments.lines.inc({ level }, 0)
  for (const [dependency, reason] of ALWAYS_SHOWN) instruments.failures.inc({ dependency, reason }, 0)
  const builds = (states: readonly string[], backfill: BuildRows | null) => {
    for (const state of BUILD_STATES) instruments.builds.set({ state }, states.filter((each) => each === state).length)
    instruments.buildRows.set({ corpus: 'memories' }, backfill?.memories ?? 0)
    instruments.buildRows.set({ corpus: 'documents' }, backfill?.documents ?? 0)
    instruments.buildRowsDone.set({ corpus: 'memories' }, backfill?.memoriesDone ?? 0)
    instruments.buildRowsDone.set({ corpus: 'documents' }, backfill?.documentsDone ?? 0)
  }
  return {
    runs: (version, role) => instruments.info.set({ version, role, node: process.version }, 1),
    logged: (level) => instruments.lines.inc({ level }),
    dependencies(states) {
      instruments.fault.reset()
      for (const { dependency, reason } of states) {
        const label = labelOf(dependency)
        instruments.up.set({ dependency: label }, reason === null ? 1 : 0)
        if (reason !== null) instruments.fault.set({ dependency: label, reason }, 1)
        if (WITH_CIRCUITS.includes(dependency))
          instruments.circuit.set({ dependency: label }, reason === 'circuit_open' ? 1 : 0)
      }
    },
    outage: (dependency, reason) => instruments.failures.inc({ dependency: labelOf(dependency), reason }),
    modelCall: (model, lane, outcome, seconds) => instruments.model.observe({ model, lane, outcome }, seconds),
    queue(queue, counts) {
      for (const state of JOB_STATES) {
        if (counts === null) instruments.queue.remove({ queue, state })
        else instruments.queue.set({ queue, state }, counts[state] ?? 0)
      }
    },
    job: (job, outcome, seconds) => instruments.job.observe({ job, outcome }, seconds),
    jobRows(job, { settled, failed, released }) {
      instruments.jobRows.inc({ job, outcome: 'settled' }, settled)
      instruments.jobRows.inc({ job, outcome: 'failed' }, failed)
      instruments.jobRows.inc({ job, outcome: 'released' }, released)
    },
    builds,
    forgeRun(state, seconds, candidates) {
      instruments.forgeRuns.observe({ state }, seconds)
      for (const [outcome, count] of Object.entries(candidates)) instruments.forgeCandidates.inc({ outcome }, count)
    },
  }
}

export const JOB_STATES = ['waiting', 'active', 'delayed'] as const

function labelOf(dependency: Dependency): string {
  return dependency.replace(' ', '_')
}

function createInstruments(registers: Registry[]) {
  const { histogram, counter, gauge } = instrumentsIn(registers)
  return {
    info: gauge('cairn_build_info', 'Always 1: version, role and Node version of this process.', [
      'version',
      'role',
      'node',
    ]),
    lines: counter('cairn_log_lines_total', 'Lines logged.', ['level']),
    up: gauge('cairn_dependency_up', '1 while a dependency answers and takes writes.', ['dependency']),
    fault: gauge('cairn_dependency_fault', '1 for each current fault of a dependency.', ['dependency', 'reason']),
    circuit: gauge('cairn_circuit_open', '1 while the circuit breaker of a dependency is open.', ['dependency']),
    failures: counter('cairn_dependency_failures_total', 'Operations that failed by a dependency.', [
      'dependency',
      'reason',
    ]),
    model: histogram('cairn_model_seconds', 'Calls of models.', ['model', 'lane', 'outcome'], DURATION_BUCKETS),
    queue: gauge('cairn_queue_jobs', 'Jobs in a queue.', ['queue', 'state']),
    job: histogram(
      'cairn_job_seconds',
      'Jobs, scheduled jobs and chores that ended.',
      ['job', 'outcome'],
      DURATION_BUCKETS,
    ),
    jobRows: counter(
      'cairn_job_rows_total',
      'Rows of jobs that were settled, that failed and are retried, or that were requeued.',
      ['job', 'outcome'],
    ),
    builds: gauge('cairn_index_builds', 'Index builds beside the serving index.', ['state']),
    buildRows: gauge('cairn_index_build_rows', 'Rows that the build has to write; 0 without a build.', ['corpus']),
    forgeRuns: histogram('cairn_forge_run_seconds', 'Runs of the Forge that ended, by how.', ['state'], RUN_BUCKETS),
    forgeCandidates: counter('cairn_forge_candidates_total', 'Candidates of the Forge, by what came of them.', [
      'outcome',
    ]),
    buildRowsDone: gauge('cairn_index_build_rows_done', 'Rows that the build has written.', ['corpus']),
  }
}
