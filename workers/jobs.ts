import type { Embedder } from '../models/embedder.js'
import type { PendingKind } from '../store/schema.js'
import type { IndexingOptions, WorkerContext } from './context.js'
import type { Outage } from './outage.js'

/** All queues and names of jobs with their payloads; the only place where they are written. */
export const QUEUES = ['indexing', 'enrichment', 'lifecycle', 'forge'] as const
export type QueueName = (typeof QUEUES)[number]

export function isQueueName(name: string): name is QueueName {
  return (QUEUES as readonly string[]).includes(name)
}

/** Ids and the ticket; the rows carry the data. */
export interface BatchPayload {
  readonly tenantId: string
  readonly ticket: string
  readonly ids: readonly string[]
}

export interface JobPayloads {
  readonly indexMemories: BatchPayload
  readonly embedMemories: BatchPayload
  readonly enrichMemories: BatchPayload
  readonly indexDocuments: BatchPayload
  readonly embedDocuments: BatchPayload
}
/** Jobs that the relay adds for claimed batches. */
export type JobName = keyof JobPayloads

export const JOB_QUEUES: { readonly [K in JobName]: QueueName } = {
  indexMemories: 'indexing',
  embedMemories: 'indexing',
  enrichMemories: 'enrichment',
  indexDocuments: 'indexing',
  embedDocuments: 'indexing',
}

/** Queues of those jobs; the health check asks the first. */
export const RELAYED_QUEUES = ['indexing', 'enrichment'] as const satisfies readonly QueueName[]

/** Jobs that the queue itself repeats, in one process at a time; they carry nothing. */
export const SCHEDULED_JOB_NAMES = ['outdateMemories', 'archiveMemories', 'purgeMemories', 'dropRecalls'] as const
export type ScheduledJobName = (typeof SCHEDULED_JOB_NAMES)[number]

export interface ScheduledJob {
  readonly everyMs: number
  /** Works until nothing is due or the budget is spent; the rest is done the next time. May run twice at once. */
  run(context: JobContext, signal: AbortSignal): Promise<void>
}
export type ScheduledJobs = { readonly [K in ScheduledJobName]: ScheduledJob }

/** Job for a claimed batch of each kind. */
export const JOB_OF_KIND = {
  memory: 'indexMemories',
  vector: 'embedMemories',
  enrich: 'enrichMemories',
  document: 'indexDocuments',
  document_vector: 'embedDocuments',
} as const satisfies { [K in PendingKind]: JobName }

/** Numbers of rows by the result of a batch. Rows in none of these no longer belonged to this job. */
export interface BatchOutcome {
  readonly settled: number
  /** Rows that failed by their own fault. */
  readonly failed: number
  /** Rows requeued because of an outage. */
  readonly released: number
}

/** The workers' context with this process's knowledge of outages. */
export interface JobContext extends WorkerContext {
  readonly options: IndexingOptions
  readonly outages: { readonly search: Outage; readonly languageModel: Outage; embedder(embedder: Embedder): Outage }
  /** Aborted when the process is asked to stop: interrupts long waits. */
  readonly stopping: AbortSignal
}

export type JobHandlers = {
  readonly [K in JobName]: (context: JobContext, payload: JobPayloads[K]) => Promise<BatchOutcome>
}

/**
 * Recurring work on PostgreSQL or the index that needs no queue, so it continues while the queue is unavailable. Each
 * may run in many processes at once.
 */
export interface Chore {
  readonly queue: QueueName
  readonly everyMs: number
  run(context: JobContext, signal: AbortSignal): Promise<void>
}

const CHORE_NAMES = [
  'compactCounters',
  'fillIndexBuild',
  'measureEnrichment',
  'measureIndexing',
  'purgeAcknowledgements',
  'purgeIdempotencyKeys',
  'purgeTombstones',
  'removeIndexBuild',
  'sweepSettled',
  'watchIndexes',
] as const
export type ChoreName = (typeof CHORE_NAMES)[number]
export type Chores = { readonly [K in ChoreName]: Chore }

/** Throws unless every name has a handler and every handler a name. */
export function assertComplete(handlers: JobHandlers, chores: Chores, scheduled: ScheduledJobs): void {
  const compare = (what: string, names: readonly string[], given: object) => {
    const missing = names.filter((name) => typeof given[name as keyof typeof given] === 'undefined')
    const unknown = Object.keys(given).filter((name) => !names.includes(name))
    if (missing.length > 0) throw new Error(`No handler for the ${what} ${missing.join(', ')}.`)
    if (unknown.length > 0) throw new Error(`Unknown ${what} with a handler: ${unknown.join(', ')}.`)
  }
  compare('job', Object.keys(JOB_QUEUES), handlers)
  compare('chore', CHORE_NAMES, chores)
  compare('scheduled job', SCHEDULED_JOB_NAMES, scheduled)
}
