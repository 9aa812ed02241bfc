import type { AnalysedQuery } from '../../../domain/ranking/candidate.js'
import type { RankOptions, DeduplicatedMemory } from '../../../domain/ranking/rank.js'
import { poolStatistics } from '../../../domain/ranking/lexical.js'
import { runYielding } from '../../../domain/yielding.js'
import { createYielder } from '../../../runtime/yielder.js'
import type { RecallContext } from './context.js'
import { analyseQuery } from './analyse-query.js'
import type { MemoryCandidates } from './candidates.js'
import type { LoadedMemories } from './load.js'
import type { RecallQuery } from '../../../domain/query.js'

interface RankedMemories {
  /** The first results, best first, equal texts once. */
  readonly first: readonly DeduplicatedMemory[]
  /** The query as it was scored. */
  readonly analysed: AnalysedQuery
}

/**
 * Ranking and explaining yield after 2 ms: a recall of another caller comes back to the event loop some six times, and waits so long each time.
 * They hold no locks, so that a long one can let shorter ones go first.
 */
export const YIELDS = { sliceMs: 2, mostTurns: 4 } as const

/** Ranks what was loaded, and returns the first `most` of those at least as similar as `minScore`. */
export async function rankMemories(
  { pieceSpace, rank }: Pick<RecallContext, 'pieceSpace' | 'rank'>,
  query: RecallQuery,
  { statistics: indexed, vector, first: { settings } }: MemoryCandidates,
  { candidates }: LoadedMemories,
  limits: Required<Pick<RankOptions, 'minScore' | 'most'>>,
  signal: AbortSignal,
): Promise<RankedMemories> {
  const yieldIfDue = createYielder({ ...YIELDS, signal })
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(indexed, texts, query.terms)
  const analysed = analyseQuery(query, vector, texts, pieceSpace)
  const options = { now: query.filter.now, freshnessFloor: settings.recall.freshness_floor, ...limits }
  await yieldIfDue()
  const first = await runYielding(rank(analysed, candidates, statistics, pieceSpace, options), yieldIfDue)
  return { first, analysed }
}
