import { distance } from 'fastest-levenshtein'

/** Most letters that a slip of the pen changes. */
const MOST_SLIPS = 2

/** Counts the letters in which a word differs from the one that may be meant; Infinity where these are more than slips of the pen. */
export function slipsOf(given: string, meant: string): number {
  const slips = distance(given, meant)
  return slips <= MOST_SLIPS && slips * 3 <= meant.length ? slips : Infinity
}

/** Returns the one of `choices` that a word with slips of the pen is nearest to; null for none. */
export function nearestWord(given: string, choices: readonly string[]): string | null {
  const [nearest] = choices
    .map((choice) => ({ choice, slips: slipsOf(given, choice) }))
    .filter(({ slips }) => slips < Infinity)
    .sort((a, b) => a.slips - b.slips)
  return nearest?.choice ?? null
}
