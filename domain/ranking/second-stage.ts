import type { RankedMemory } from './candidate.js'

/** Number of the first stage's results that the second stage reads. */
export const SECOND_STAGE_SIZE = 30

/** Weight of the best relevance: its score is multiplied by 1 + this. */
const RERANK_WEIGHT = 4

/**
 * Reorders the first stage's results (best first) by the second stage, whose `relevances` (0..1) are those of the first
 * results. Each of these gets the factor `rerank_boost` = 1 + 4 · relevance / best relevance: what else is known of a
 * memory (its freshness, status, time) still counts, no score falls, and results that were not read stay below. Equal
 * scores keep their order.
 */
export function mergeSecondStage<R extends RankedMemory>(first: readonly R[], relevances: readonly number[]): R[] {
  const best = Math.max(...relevances, Number.MIN_VALUE)
  const read = relevances.map((relevance, place) => {
    const result = first[place]!
    const boost = 1 + (RERANK_WEIGHT * relevance) / best
    return { result, relevance, boost, score: result.score * boost, from: place + 1 }
  })
  const merged = read
    .sort((a, b) => b.score - a.score || a.from - b.from)
    .map(({ result, relevance, boost, score, from }, place) => ({
      ...result,
      score,
      parts: { ...result.parts, rerank_boost: boost },
      secondStage: { relevance, from, to: place + 1 },
    }))
  return [...merged, ...first.slice(relevances.length)]
}
