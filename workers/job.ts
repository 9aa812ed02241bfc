import type { PendingKind } from '../store/schema.js'
import type { JobContext } from './context.js'

/** Queues in BullMQ; which jobs each has is in the table of jobs.ts. */
export const QUEUES = ['indexing', 'enrichment', 'scans', 'lifecycle', 'forge'] as const
export type QueueName = (typeof QUEUES)[number]

export function isQueueName(name: string): name is QueueName {
  return (QUEUES as readonly string[]).includes(name)
}

/** Queues of the batch jobs, each with a relay; the health check asks the first. */
export const RELAYED_QUEUES = ['indexing', 'enrichment', 'scans'] as const satisfies readonly QueueName[]
export type RelayedQueueName = (typeof RELAYED_QUEUES)[number]

/** A batch of claimed rows: ids and the ticket of their claim; the rows carry the data. */
export interface BatchPayload {
  readonly tenantId: string
  readonly ticket: string
  readonly ids: readonly string[]
}

/** Numbers of rows by the result of a batch. Rows in none of these no longer belonged to this job. */
export interface BatchOutcome {
  readonly settled: number
  /** Rows that failed by their own fault. */
  readonly failed: number
  /** Rows requeued because of an outage. */
  readonly released: number
}

/** A job on demand: a relay claims due rows of one kind and adds a job for each batch of them. */
export interface BatchJob {
  readonly queue: RelayedQueueName
  /** Kind of the rows; no other job has it. */
  readonly rows: PendingKind
  /** Returns false while these rows are not claimed, because what their job needs is unavailable. Absent: always true. */
  isReady?(context: JobContext): boolean
  /** May run twice, or late: the rows are read again, and only those that still have the ticket are settled. */
  run(context: JobContext, batch: BatchPayload): Promise<BatchOutcome>
}

/** A job that BullMQ repeats, in one process at a time. */
export interface ScheduledJob {
  readonly queue: 'lifecycle'
  readonly repeatedBy: 'queue'
  readonly everyMs: number
  /** Works until nothing is due or the budget is spent; the rest is done the next time. May run twice at once. */
  run(context: JobContext, signal: AbortSignal): Promise<void>
}

/**
 * A job on PostgreSQL or the index that each process with this queue repeats by itself, so it continues while BullMQ is
 * unavailable. May run in many processes at once.
 */
export interface Chore {
  readonly queue: QueueName
  readonly repeatedBy: 'process'
  /** Pause after each run. */
  readonly everyMs: number
  run(context: JobContext, signal: AbortSignal): Promise<void>
}

/** A job that is added to its queue by name, when somebody asks for it or a scheduler of its own says so. */
interface TriggeredJob {
  readonly queue: 'forge'
  readonly triggered: true
  /**
   * Stores what is to be done; the rows say the rest. May run twice. `id` is the job's id in the queue. Absent where whoever adds the job
   * has stored it: the job wakes the worker.
   */
  run?(context: JobContext, payload: TriggeredPayload, id: string): Promise<void>
}

export interface TriggeredPayload {
  readonly tenantId: string
}

/** Jobs by their names, which are the names in BullMQ, in metrics and in the log. */
export type Jobs = Readonly<Record<string, BatchJob | ScheduledJob | TriggeredJob | Chore>>

/** Returns the batch jobs of a queue, in the order of their rows' importance. */
export function batchJobsOf(jobs: Jobs, queue: QueueName): [string, BatchJob][] {
  return Object.entries(jobs).flatMap(([name, job]) => ('rows' in job && job.queue === queue ? [[name, job]] : []))
}

/** Returns the jobs that BullMQ repeats. */
export function scheduledJobs(jobs: Jobs): [string, ScheduledJob][] {
  return Object.entries(jobs).flatMap(([name, job]) =>
    'repeatedBy' in job && job.repeatedBy === 'queue' ? [[name, job]] : [],
  )
}

/** Returns the jobs that are added by their names. */
export function triggeredJobs(jobs: Jobs): [string, TriggeredJob][] {
  return Object.entries(jobs).flatMap(([name, job]) => ('triggered' in job ? [[name, job]] : []))
}

/** Returns the jobs of these queues that each process repeats. */
export function choresOf(jobs: Jobs, queues: readonly QueueName[]): [string, Chore][] {
  return Object.entries(jobs).flatMap(([name, job]) =>
    'repeatedBy' in job && job.repeatedBy === 'process' && queues.includes(job.queue) ? [[name, job]] : [],
  )
}

/** Runs a job and reports to the metrics how it ended. */
export async function observeJob<T>(
  { metrics }: Pick<JobContext, 'metrics'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now()
  const report = (outcome: 'ok' | 'failed') => metrics.job(name, outcome, (performance.now() - start) / 1_000)
  try {
    const result = await work()
    report('ok')
    return result
  } catch (error) {
    report('failed')
    throw error
  }
}
