import type { RankedMemory } from './candidate.js'

export interface DeduplicatedMemory extends RankedMemory {
  /** Number of other candidates with the same text. */
  readonly folded: number
}

/**
 * Returns the first `most` results, keeping only the best ranked of equal texts and counting the others. Texts are
 * equal when they are duplicates (`textKey`), which only different authors can have stored. Likeness never counts, because
 * "Ana leads Ben" and "Ben leads Ana", or `-d` and `-D`, are as similar as can be.
 */
export function deduplicate<Ranked extends Pick<RankedMemory, 'candidate'>>(
  ranked: readonly Ranked[],
  most: number,
): (Ranked & Pick<DeduplicatedMemory, 'folded'>)[] {
  const counts = new Map<string, number>()
  const kept = ranked.filter(({ candidate: { text } }) => {
    const count = (counts.get(text.textKey) ?? 0) + 1
    counts.set(text.textKey, count)
    return count === 1
  })
  return kept.slice(0, most).map((result) => ({ ...result, folded: counts.get(result.candidate.text.textKey)! - 1 }))
}
