import type { Clock } from '../runtime/clock.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { Embedder } from '../models/embedder.js'
import type { LanguageModel } from '../models/language-model.js'
import type { PieceSpace } from '../models/piece-space.js'
import type { QueryVectors } from '../models/query-vectors.js'
import type { SearchIndex } from '../search/search-index.js'
import type { Store } from '../store/store.js'
import type { AnalysedMemories } from './recall/analysed-memories.js'
import type { RecallLog } from './recall/recall-log.js'

/** What every operation works with: built once by the composition root. */
export interface ApiContext {
  readonly version: string
  readonly startedAt: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: Store
  readonly index: SearchIndex
  readonly embedder: Embedder
  /** Null when there is none: what needs one abstains. */
  readonly languageModel: LanguageModel | null
  /** How long a recall waits for its summary. */
  readonly summaryDeadlineMs: number
  readonly queryVectors: QueryVectors
  readonly recallLog: RecallLog
  readonly analysedMemories: AnalysedMemories
  readonly pieceSpace: PieceSpace
  /** Signs cursors; made by the first migration. */
  readonly cursorSecret: Buffer
  /** Null when the queue answers, else why not. */
  readonly queueHealth: () => Promise<string | null>
  /** What the queue's jobs carry; both throw `UnavailableError('queue')`. */
  readonly queuedIds: {
    forget(ids: readonly string[]): Promise<void>
    mentioning(ids: readonly string[]): Promise<number>
  }
}
