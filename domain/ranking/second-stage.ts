import type { Ranked } from './candidate.js'

/** How many of the first stage's results the second one reads. */
export const SECOND_STAGE_SIZE = 30

/** What the relevance of the best is worth: its score times 1 + this. */
const WEIGHT = 4

/**
 * The results of the first stage, best first, in the order after the second, which found the first of them as relevant as
 * `relevances` (0..1) say. Each of these gets the factor `rerank_boost` = 1 + 4 · relevance / best relevance: what else is known
 * of a memory (its freshness, status, time) still counts, no score falls, and those that were not read stay below. Equal scores
 * keep their order.
 */
export function mergeSecondStage<R extends Ranked>(first: readonly R[], relevances: readonly number[]): R[] {
  const best = Math.max(...relevances, Number.MIN_VALUE)
  const read = relevances.map((relevance, place) => {
    const result = first[place]!
    const boost = 1 + (WEIGHT * relevance) / best
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
