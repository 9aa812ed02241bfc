import { isCommonWord } from '../text/names/common-words.js'

/** Shorter words have too many neighbours. */
const SHORTEST = 5
/** A spelling is taken as wrong beside one that stands in as many traces, or more. */
const LEAST_TRACES = 3

/**
 * Returns the misspelled terms with the terms that they stand for: a term of one trace that differs by one letter more,
 * less or other, or by two swapped letters, from a term of several traces, and that no dictionary has. Of several the most
 * frequent, then the first by code units.
 */
export function misspellings(frequencies: ReadonlyMap<string, number>): Map<string, string> {
  const byDeletion = new Map<string, string[]>()
  for (const [term, traces] of frequencies)
    if (traces >= LEAST_TRACES && isWord(term))
      for (const key of deletionsOf(term)) byDeletion.set(key, [...(byDeletion.get(key) ?? []), term])
  const found = new Map<string, string>()
  for (const [term, traces] of frequencies) {
    if (traces > 1 || !isWord(term) || isCommonWord(term)) continue
    const near = [...new Set(deletionsOf(term).flatMap((key) => byDeletion.get(key) ?? []))]
    const [best] = near.sort((a, b) => frequencies.get(b)! - frequencies.get(a)! || (a < b ? -1 : 1))
    if (best !== undefined) found.set(term, best)
  }
  return found
}

function isWord(term: string): boolean {
  return term.length >= SHORTEST && /^\p{L}+$/u.test(term)
}

/** Returns the term and the term without each of its letters: two words that differ by one letter share one of these. */
function deletionsOf(term: string): string[] {
  const keys = [term]
  for (let i = 0; i < term.length; i++) keys.push(term.slice(0, i) + term.slice(i + 1))
  return keys
}
