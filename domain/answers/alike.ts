import type { Candidate } from '../ranking/candidate.js'
import type { HashedTerms } from '../ranking/hashed-terms.js'

/** Ids of two memories. */
export type Pair = readonly [string, string]

/** Terms that one of two alike statements has beside the other at most: those of a name or a number, and what joins them. */
const MOST_OTHER_TERMS = 6
/** Share of the terms of the longer of two alike statements that the other has at least. */
const LEAST_SHARE = 0.3
/** Terms of a statement at most: it has 400 characters. Longer texts are left out, so that no pair takes longer than some microseconds. */
const MOST_TERMS = 120
/** Share of the terms of the longer of two copies that the other has. */
const COPY_SHARE = 0.7

/**
 * Returns the pairs of memories that may state the same, or the same of another value, by their terms alone: of most results none, at some 20 ns a
 * term. Whether they do is decided by their words.
 */
export function alikePairs(memories: readonly Pick<Candidate, 'id' | 'text'>[]): Pair[] {
  const pairs: Pair[] = []
  const statements = memories.filter(({ text }) => text.terms.hashes.length <= MOST_TERMS)
  for (const [i, a] of statements.entries())
    for (const b of statements.slice(i + 1)) if (areAlike(a.text.terms, b.text.terms)) pairs.push([a.id, b.id])
  return pairs
}

function areAlike({ hashes: a }: HashedTerms, { hashes: b }: HashedTerms): boolean {
  const longer = Math.max(a.length, b.length)
  const ofStatement = Math.max(LEAST_SHARE * longer, longer - MOST_OTHER_TERMS)
  const least = Math.max(1, Math.ceil(Math.min(COPY_SHARE * longer, ofStatement)))
  return Math.min(a.length, b.length) >= least && sharedTerms(a, b, least) >= least
}

/** Returns how many terms two texts share; less than `least` as soon as they cannot share as many. */
function sharedTerms(a: Uint32Array, b: Uint32Array, least: number): number {
  let shared = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const left = a[i]!
    const right = b[j]!
    if (left === right) shared++
    if (left <= right) i++
    if (right <= left) j++
    if (shared + Math.min(a.length - i, b.length - j) < least) break
  }
  return shared
}
