import type { Embedder } from '../models/embedder.js'
import type { LanguageModel } from '../models/language-model.js'
import type { PieceSpace } from '../models/piece-space.js'
import type { Clock } from '../runtime/clock.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { OutageReason } from '../runtime/outage-reasons.js'
import type { SearchIndex } from '../search/search-index.js'
import type { IndexBuild } from '../store/indexing/index-builds.js'
import type { SuccessorModel } from '../store/indexing/successor-builds.js'
import type { SkillScanner } from '../services/skills/skill-scanner.js'
import type { PartBounds } from '../store/forge/evidence.js'
import { RETRY_OPTIONS, type RetryOptions } from '../store/outbox/outbox.js'
import type { Store } from '../store/store.js'
import { Outage, type OutageOptions } from './outage.js'

/** Location of BullMQ's jobs: Redis, or a schema of its own in PostgreSQL when there is no Redis. */
export interface QueueSettings {
  readonly redisUrl: string | null
  readonly postgresUrl: string
  /** Prefix of every key (Redis), or the schema's name (PostgreSQL). */
  readonly prefix: string
  /** Runs for each call that failed because the queue is unavailable or takes no jobs. */
  readonly onOutage?: (reason: OutageReason) => void
}

/** An index that receives every change, with the embedder of its vectors. */
export interface IndexTarget {
  readonly buildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
}

/** The indices that this process has opened (store/indexing/index-builds.md). */
export interface LiveIndexes {
  /** The model that takes the place of those before it in indices that have one of them; null where none does. */
  readonly successor: SuccessorModel | null
  /** Returns the index that recall asks, as far as this process knows. */
  serving(): IndexTarget
  /**
   * Returns the indices that every change goes into, read from PostgreSQL at this moment: the serving one first. Called
   * after the rows were read, they are no older than these. Empty while the only index is not created yet, or is lost.
   */
  targets(): Promise<readonly IndexTarget[]>
  /** Opens the index of a live build. */
  open(build: IndexBuild): Promise<IndexTarget>
  /** Closes a dropped build's index in this process and deletes it. */
  remove(build: IndexBuild): Promise<void>
}

/** Dependencies of the workers, built once by the composition root. */
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
    | 'scanned'
    | 'opined'
    | 'unscanned'
    | 'forgeRun'
  >
  readonly store: Store
  readonly indexes: LiveIndexes
  readonly queue: QueueSettings
  readonly indexing?: Partial<IndexingOptions>
  /** Null without a language model, or where it must not read memories: then nothing is enriched. */
  readonly enrichment: EnrichmentOptions | null
  /** Splits texts into the word pieces that ranking compares. */
  readonly pieceSpace: Pick<PieceSpace, 'piecesOf'>
  /** Scans skills in a thread of this process. */
  readonly skillScanner: SkillScanner
  readonly forge: ForgeOptions
}

export interface ForgeOptions {
  /** Null without one: then skills have the words of memories. */
  readonly languageModel: LanguageModel | null
  readonly budget: ModelBudget
  /** Milliseconds that the work of one run may take, whatever its tenant's settings say. */
  readonly runMs: number
  /** Time that a run belongs to its worker, after which the run of a dead process is claimed again. */
  readonly leaseMs?: number
  readonly thread?: PartThreadOptions
}

/** Bounds what the Forge may ask of the language model: in one run, and for one tenant. */
export interface ModelBudget {
  readonly calls: number
  /** Input and output together; the call that goes beyond it is the last. */
  readonly tokens: number
  /** Tokens of a tenant in a day; null for no limit. */
  readonly tokensPerDay: number | null
  /** Milliseconds for one completion, its retries and its repair included. */
  readonly withinMs: number
}

/** Bounds one part of a run of the Forge, and the thread that it has. */
export interface PartThreadOptions {
  readonly bounds?: PartBounds
  readonly timeoutMs?: number
  readonly maxHeapMb?: number
  /** The thread's file, which serves `ForgeTasks`, without its extension. */
  readonly file?: URL
}

export interface EnrichmentOptions {
  readonly languageModel: LanguageModel
  /** Number of memories that this process enriches at a time. */
  readonly concurrency: number
  /**
   * Tokens for each tenant, input and output together; null for no limit. Work in progress when it is used up is
   * finished.
   */
  readonly tokensPerDay: number | null
  /** Time for one completion, including its retries and its repair. */
  readonly withinMs: number
  /** Number of attempts for which the model gives no usable answer, after which the memory has failed. */
  readonly attempts?: number
}

export interface IndexingOptions {
  /** Number of batches that this process works on at a time. */
  readonly concurrency: number
  /**
   * Maximum number of unsettled batches of this process's relay: enough that a worker always finds the next one
   * waiting.
   */
  readonly maxBatches: number
  readonly batchSize: number
  /** Time that a batch belongs to its job, after which the work of a dead process is claimed again. */
  readonly leaseMs: number
  /** Interval in which the relay looks for work while there is none. */
  readonly pollMs: number
  readonly attempts: RetryOptions
  /** Back-off while an engine, the embedder, the queue or PostgreSQL is unavailable. */
  readonly outage: OutageOptions
}

function withDefaults({ concurrency = 4, ...given }: Partial<IndexingOptions> = {}): IndexingOptions {
  return {
    concurrency,
    maxBatches: concurrency * 2,
    batchSize: 250,
    leaseMs: 60_000,
    pollMs: 150,
    attempts: RETRY_OPTIONS,
    outage: { baseMs: 1_000, maxMs: 30_000 },
    ...given,
  }
}

/** The workers' context with this process's knowledge of outages. */
export interface JobContext extends WorkerContext {
  readonly options: IndexingOptions
  readonly outages: {
    readonly search: Outage
    readonly languageModel: Outage
    readonly scanner: Outage
    embedder(embedder: Embedder): Outage
  }
  /** Aborted when the process is asked to stop: interrupts long waits. */
  readonly stopping: AbortSignal
}

/** Returns the context of one process's jobs; `stopping` is never aborted if it is left out. */
export function jobContext(context: WorkerContext, stopping = new AbortController().signal): JobContext {
  const options = withDefaults(context.indexing)
  const { clock } = context
  const embedders = new WeakMap<Embedder, Outage>()
  const outages = {
    search: new Outage(clock, options.outage),
    languageModel: new Outage(clock, options.outage),
    scanner: new Outage(clock, options.outage),
    embedder(embedder: Embedder) {
      const known = embedders.get(embedder) ?? new Outage(clock, options.outage)
      embedders.set(embedder, known)
      return known
    },
  }
  return { ...context, options, outages, stopping }
}
