import type { Embedder } from '../models/embedder.js'
import type { LanguageModel } from '../models/language-model.js'
import type { Clock } from '../runtime/clock.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { OutageReason } from '../runtime/outage-reasons.js'
import type { SearchIndex } from '../search/search-index.js'
import type { IndexBuild } from '../store/indexing/index-builds.js'
import { TRY_OPTIONS, type TryOptions } from '../store/outbox/outbox.js'
import type { Store } from '../store/store.js'
import type { OutageOptions } from './outage.js'

/** Where BullMQ keeps its jobs: Redis, or a schema of its own in Postgres when there is no Redis. */
export interface QueueSettings {
  readonly redisUrl: string | null
  readonly postgresUrl: string
  /** Begins every key (Redis), or names the schema (Postgres). */
  readonly prefix: string
  /** Called for each use that failed because the queue is away or takes no jobs. */
  readonly onOutage?: (reason: OutageReason) => void
}

/** An index that holds every change, with the embedder of its vectors. */
export interface IndexTarget {
  readonly buildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
}

/** The indices there are, as this process has opened them (store/README.md, "A second index"). */
export interface LiveIndexes {
  /** The one that recall asks, as far as this process knows. */
  serving(): IndexTarget
  /**
   * Those that every change goes into, as Postgres says at this moment: the serving one first. Asked after the rows were read, they
   * are no older than these. None while the only one is not made yet, or is lost.
   */
  targets(): Promise<readonly IndexTarget[]>
  /** Opens the index of a live build. */
  open(build: IndexBuild): Promise<IndexTarget>
  /** Closes a dropped build's index in this process and deletes it. */
  remove(build: IndexBuild): Promise<void>
}

/** What workers work with: built once by the composition root. */
export interface WorkerContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Pick<
    Metrics,
    | 'batchIndexed'
    | 'indexing'
    | 'indexCounts'
    | 'enrichment'
    | 'enriched'
    | 'enrichmentTokens'
    | 'job'
    | 'jobRows'
    | 'builds'
  >
  readonly store: Store
  readonly indexes: LiveIndexes
  readonly queue: QueueSettings
  readonly indexing?: Partial<IndexingOptions>
  /** Null without a language model, or where it is not to read memories: then nothing is enriched. */
  readonly enrichment: EnrichmentOptions | null
}

export interface EnrichmentOptions {
  readonly languageModel: LanguageModel
  /** Memories that this process enriches at a time. */
  readonly concurrency: number
  /** Of each tenant, input and output together; null for no limit. What is under way when it is used up is finished. */
  readonly tokensPerDay: number | null
  /** For one completion, its further tries and its repair included. */
  readonly withinMs: number
  /** Tries of a memory for which the model gives no answer that can be used, before it is called failed. */
  readonly tries?: number
}

export interface IndexingOptions {
  /** Batches that this process works on at a time. */
  readonly concurrency: number
  /** Unsettled batches that this process's relay holds at most: enough that a worker always finds the next one waiting. */
  readonly maxBatches: number
  readonly batchSize: number
  /** How long a batch belongs to its job. A process that died gives its work back after this. */
  readonly leaseMs: number
  /** How often the relay looks for work while there is none. */
  readonly pollMs: number
  readonly tries: TryOptions
  /** Back-off while an engine, the embedder, the queue or Postgres is away. */
  readonly outage: OutageOptions
}

export function indexingOptions({ concurrency = 4, ...given }: Partial<IndexingOptions> = {}): IndexingOptions {
  return {
    concurrency,
    maxBatches: concurrency * 2,
    batchSize: 250,
    leaseMs: 60_000,
    pollMs: 150,
    tries: TRY_OPTIONS,
    outage: { baseMs: 1_000, maxMs: 30_000 },
    ...given,
  }
}
