import type { AnalysedText } from './candidate.js'

/**
 * How rare a memory's words are on the whole, 0 to about 1: so that "thanks, great!" comes after what says something. Rarity is
 * counted over the pool of candidates, where the query's own words are common because they brought them: those count as rare.
 */
export function informativenessOf(
  pool: readonly AnalysedText[],
  queryTerms: ReadonlySet<string>,
): (text: AnalysedText) => number {
  const frequency = new Map<string, number>()
  for (const { terms } of pool) for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  // By document frequency, which is a small whole number.
  const rarities = Float64Array.from({ length: pool.length + 1 }, (_, df) => Math.log(1 + pool.length / (1 + df)))
  const most = Math.log(1 + pool.length / 2)
  return ({ terms, length }) => {
    let sum = 0
    for (const [term, occurrences] of terms)
      sum += occurrences * rarities[queryTerms.has(term) ? 0 : (frequency.get(term) ?? 0)]!
    return length === 0 ? 0 : sum / length / most
  }
}
