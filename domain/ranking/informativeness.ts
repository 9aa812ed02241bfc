import type { AnalysedText } from './candidate.js'

type InformativeText = Pick<AnalysedText, 'terms' | 'stated'>

/** Numbers, hashes and the like are extremely rare terms, but not informative. */
const HAS_DIGIT = /\p{N}/u

/**
 * Returns a function for the mean rarity of a memory's terms, 0 to about 1. It ranks "thanks, great!" below texts with
 * content, and a question below its answer. Rarity is counted over the pool of candidates; the query's own terms are
 * common there because they brought the candidates in, so they count as rare. Terms with digits do not count.
 */
export function informativenessOf(
  pool: readonly InformativeText[],
  queryTerms: ReadonlySet<string>,
): (text: InformativeText) => number {
  const frequency = new Map<string, number>()
  for (const { terms } of pool)
    for (const term of terms.keys()) {
      const known = frequency.get(term)
      if (known !== undefined) frequency.set(term, known + 1)
      else if (!HAS_DIGIT.test(term)) frequency.set(term, 1)
    }
  for (const term of queryTerms) if (frequency.has(term)) frequency.set(term, 0)
  // Indexed by document frequency, which is a small integer.
  const rarities = Float64Array.from({ length: pool.length + 1 }, (_, df) => Math.log(1 + pool.length / (1 + df)))
  const most = Math.log(1 + pool.length / 2)
  return ({ terms, stated }) => {
    let sum = 0
    let length = 0
    for (const [term, occurrences] of terms) {
      const known = frequency.get(term)
      if (known === undefined) continue
      length += occurrences
      sum += occurrences * rarities[known]!
    }
    return length === 0 ? 0 : (stated * sum) / length / most
  }
}
