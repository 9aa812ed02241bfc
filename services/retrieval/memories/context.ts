import type { rank } from '../../../domain/ranking/rank.js'
import type { LanguageModel } from '../../../models/language-model.js'
import type { PieceSpace } from '../../../models/piece-space.js'
import type { Reranker } from '../../../models/reranker.js'
import type { Logger } from '../../../runtime/logger.js'
import type { SearchContext } from '../context.js'
import type { AnalysedMemories } from './analysed-memories.js'
import type { CommonEntityCache } from './common-entities.js'
import type { RecallLog } from './recall-log.js'

/** The context of recalls. */
export interface RecallContext extends SearchContext {
  readonly logger: Logger
  /** Null when none is configured: then no recall has a summary. */
  readonly languageModel: LanguageModel | null
  /** Milliseconds that a recall waits for its summary. */
  readonly summaryDeadlineMs: number
  /** Null when recall has no second stage. */
  readonly reranker: Reranker | null
  readonly recallLog: RecallLog
  readonly commonEntities: CommonEntityCache
  readonly analysedMemories: AnalysedMemories
  readonly pieceSpace: PieceSpace
  /** Ranks a recall's candidates; part of the context so that `bench ablation` can measure recall with another ranking. */
  readonly rank: typeof rank
}
