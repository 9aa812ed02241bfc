import type { RankedMemory } from './candidate.js'

export interface DeduplicatedMemory extends RankedMemory {
  /** Number of other candidates with the same text, ignoring case and punctuation. */
  readonly folded: number
}

/**
 * Returns the first `most` results, keeping only the best ranked of equal texts and counting the others. Texts are
 * equal when they have the same words in the same order. Similarity never counts, because "Ana leads Ben" and "Ben
 * leads Ana" are as similar as can be.
 */
export function deduplicate<Ranked extends Pick<RankedMemory, 'candidate'>>(
  ranked: readonly Ranked[],
  most: number,
): (Ranked & Pick<DeduplicatedMemory, 'folded'>)[] {
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
