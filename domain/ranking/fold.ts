import type { Ranked } from './candidate.js'

export interface Folded extends Ranked {
  /** How many more candidates have the same text, to case and punctuation. */
  readonly folded: number
}

/**
 * The first `most`, of equal texts only the best ranked, with the number of the others. Texts are equal when their words are, one
 * after the other: nearness never folds, because "Ana leads Ben" and "Ben leads Ana" are as near as can be.
 */
export function foldEqualTexts(ranked: readonly Ranked[], most: number): Folded[] {
  const counts = new Map<string, number>()
  const kept = ranked.filter(({ candidate: { text } }) => {
    if (text.wordsKey === null) return true
    const count = (counts.get(text.wordsKey) ?? 0) + 1
    counts.set(text.wordsKey, count)
    return count === 1
  })
  return kept.slice(0, most).map((result) => {
    const { wordsKey } = result.candidate.text
    return { ...result, folded: wordsKey === null ? 0 : counts.get(wordsKey)! - 1 }
  })
}
