import type { AnalysedQuery } from '../../../domain/ranking/candidate.js'
import type { DeduplicatedMemory } from '../../../domain/ranking/deduplicate.js'
import type { RankOptions } from '../../../domain/ranking/rank.js'
import { poolStatistics } from '../../../domain/ranking/lexical.js'
import type { ServiceContext } from '../../context.js'
import { analyseQuery } from './analyse-query.js'
import type { MemoryCandidates } from './candidates.js'
import type { LoadedMemories } from './load.js'
import type { RecallQuery } from './query.js'

interface RankedMemories {
  /** The first results, best first, equal texts once. */
  readonly first: readonly DeduplicatedMemory[]
  /** The query as it was scored. */
  readonly analysed: AnalysedQuery
}

/** Ranks what was loaded, and returns the first `most` of those at least as similar as `minScore`. */
export function rankMemories(
  { pieceSpace, rank }: Pick<ServiceContext, 'pieceSpace' | 'rank'>,
  query: RecallQuery,
  { statistics: indexed, vector, first: { settings } }: MemoryCandidates,
  { candidates }: LoadedMemories,
  limits: Required<Pick<RankOptions, 'minScore' | 'most'>>,
): RankedMemories {
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(indexed, texts, query.terms)
  const analysed = analyseQuery(query, vector, texts, pieceSpace)
  const options = { now: query.filter.now, freshnessFloor: settings.recall.freshness_floor, ...limits }
  return { first: rank(analysed, candidates, statistics, pieceSpace, options), analysed }
}
