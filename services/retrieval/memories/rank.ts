import type { AnalysedQuery, RankedMemory } from '../../../domain/ranking/candidate.js'
import { type DeduplicatedMemory, deduplicate } from '../../../domain/ranking/deduplicate.js'
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
  { minScore, most }: { readonly minScore: number; readonly most: number },
): RankedMemories {
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(indexed, texts, query.terms)
  const analysed = analyseQuery(query, vector, texts, pieceSpace)
  const options = { now: query.filter.now, freshnessFloor: settings.recall.freshness_floor }
  const ranked: RankedMemory[] = rank(analysed, candidates, statistics, pieceSpace, options)
  return {
    first: deduplicate(
      ranked.filter(({ similarity }) => similarity >= minScore),
      most,
    ),
    analysed,
  }
}
