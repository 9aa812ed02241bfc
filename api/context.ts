import type { rank } from '../domain/ranking/rank.js'
import type { Clock } from '../runtime/clock.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { Fault } from '../runtime/outage-reasons.js'
import type { Embedder } from '../models/embedder.js'
import type { LanguageModel } from '../models/language-model.js'
import type { PieceSpace } from '../models/piece-space.js'
import type { QueryVectors } from '../models/query-vectors.js'
import type { Reranker } from '../models/reranker.js'
import type { SearchIndex } from '../search/search-index.js'
import type { Store } from '../store/store.js'
import type { Sightings } from './agents/sightings.js'
import type { AnalysedDocuments } from './documents/analysed-documents.js'
import type { KeystoneSets } from './keystones/keystone-sets.js'
import type { AnalysedMemories } from './recall/analysed-memories.js'
import type { RecallLog } from './recall/recall-log.js'

/** What every operation works with: made by the composition root for each index that serves, and the same for a whole request. */
export interface ApiContext {
  readonly version: string
  readonly startedAt: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: Store
  readonly indexBuildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
  /** Null when there is none: what needs one abstains. */
  readonly languageModel: LanguageModel | null
  readonly enrichment: {
    /** Whether this process enqueues what it writes for the language model. */
    readonly enabled: boolean
    /** Budget of a tenant; null for none. */
    readonly tokensPerDay: number | null
  }
  /** How long a recall waits for its summary. */
  readonly summaryDeadlineMs: number
  readonly queryVectors: QueryVectors
  /** Null when there is no second stage. */
  readonly reranker: Reranker | null
  readonly recallLog: RecallLog
  readonly sightings: Sightings
  readonly analysedMemories: AnalysedMemories
  readonly analysedDocuments: AnalysedDocuments
  readonly keystoneSets: KeystoneSets
  readonly pieceSpace: PieceSpace
  /** The order of a recall's candidates; part of the context so that `bench ablation` measures recall itself with another. */
  readonly rank: typeof rank
  /** Signs cursors; made by the first migration. */
  readonly cursorSecret: Buffer
  /** Returns null when the queue answers and takes jobs, else what is wrong. Never throws. */
  readonly queueHealth: () => Promise<Fault | null>
  /** What the jobs of each queue carry that works on the dirty set; both throw `UnavailableError('queue')`. */
  readonly queuedIds: readonly {
    readonly queue: string
    forget(ids: readonly string[]): Promise<void>
    mentioning(ids: readonly string[]): Promise<number>
  }[]
  readonly indexBuilds: {
    /** The model that an operator names; throws 422 when it cannot be had, 503 while it is away. */
    openModel(name: string): Promise<Pick<Embedder, 'id' | 'dimensions'>>
    /** Every index that takes changes: the one that serves, one that is being filled, one that is kept. */
    all(): Promise<readonly { readonly index: SearchIndex }[]>
    /** Why the serving index is not whole; null when it is. */
    fault(): Fault | null
    /** Learns at once which index serves. */
    follow(): Promise<void>
  }
}
