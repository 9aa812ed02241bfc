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
import type { LastSeenTracker } from './agents/last-seen-tracker.js'
import type { AnalysedDocuments } from './retrieval/documents/analysed-documents.js'
import type { KeystoneSets } from './keystones/keystone-sets.js'
import type { AnalysedMemories } from './retrieval/memories/analysed-memories.js'
import type { CommonEntityCache } from './retrieval/memories/common-entities.js'
import type { RecallLog } from './retrieval/memories/recall-log.js'
import type { SkillScanner } from './skills/skill-scanner.js'

/** Dependencies of every operation: created by the composition root for each serving index, and constant during a request. */
export interface ServiceContext {
  readonly version: string
  readonly startedAt: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: Store
  readonly indexBuildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
  /** Null when none is configured: features that need one do nothing. */
  readonly languageModel: LanguageModel | null
  readonly enrichment: {
    /** True when this process queues what it writes for enrichment. */
    readonly enabled: boolean
    /** A tenant's daily token budget; null for no limit. */
    readonly tokensPerDay: number | null
  }
  /** Milliseconds that a recall waits for its summary. */
  readonly summaryDeadlineMs: number
  readonly queryVectors: QueryVectors
  /** Null when recall has no second stage. */
  readonly reranker: Reranker | null
  /** Scans skills in a thread of this process, for what a person waits for. */
  readonly skillScanner: SkillScanner
  readonly recallLog: RecallLog
  readonly lastSeenTracker: LastSeenTracker
  readonly commonEntities: CommonEntityCache
  readonly analysedMemories: AnalysedMemories
  readonly analysedDocuments: AnalysedDocuments
  readonly keystoneSets: KeystoneSets
  readonly pieceSpace: PieceSpace
  /** Ranks a recall's candidates; part of the context so that `bench ablation` can measure recall with another ranking. */
  readonly rank: typeof rank
  /** Secret that signs cursors, created by the first migration. */
  readonly cursorSecret: Buffer
  /** Returns null when the queue answers and accepts jobs, otherwise the fault. Never throws. */
  readonly queueHealth: () => Promise<Fault | null>
  /** Tells the workers of runs of the Forge that are stored. Throws `UnavailableError('queue')`; workers find them later then. */
  readonly publishForgeRuns: (runs: readonly { readonly tenantId: string; readonly runId: string }[]) => Promise<void>
  /** Access to the memory ids in the jobs of each queue that works on the dirty set; both methods throw `UnavailableError('queue')`. */
  readonly queuedIds: readonly {
    readonly queue: string
    forget(ids: readonly string[]): Promise<void>
    mentioning(ids: readonly string[]): Promise<number>
  }[]
  readonly indexBuilds: {
    /** Opens the model that an operator names. Throws InvalidArgumentsError when it cannot be used, UnavailableError while it is unavailable. */
    openModel(name: string): Promise<Pick<Embedder, 'id' | 'dimensions'>>
    /** Returns every index that receives changes: the serving one, one that is being built, and one that is kept. */
    all(): Promise<readonly { readonly index: SearchIndex }[]>
    /** Returns why the serving index is incomplete; null when it is complete. */
    fault(): Fault | null
    /** Reads at once which index serves. */
    refresh(): Promise<void>
  }
}
