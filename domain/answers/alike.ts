import type { Candidate } from '../ranking/candidate.js'
import { termHash } from '../ranking/hashed-terms.js'
import { groupOf } from '../text/analysis.js'
import { dateWords } from '../text/memory-text.js'
import { wordsIn } from '../text/words.js'

/** Ids of two memories. */
export type Pair = readonly [string, string]

/** Terms that one of two alike statements has beside the other at most: those of a name or a number, and what joins them. */
const MOST_OTHER_TERMS = 6
/** Share of the terms of the longer of two alike statements that the other has at least. */
const LEAST_SHARE = 0.2
/** Terms of a statement at most. Longer texts are left out, so that no pair takes longer than some microseconds. */
const MOST_TERMS = 60

/**
 * Returns the pairs of memories that may state the same of another value, by the terms of their texts alone, at some 20 ns a term. Whether they do is
 * decided by their words. The better ranked of two comes first.
 */
export function alikePairs(memories: readonly Pick<Candidate, 'id' | 'text'>[]): Pair[] {
  const pairs: Pair[] = []
  const hashesOf = new Map<string, readonly number[]>()
  const statements = memories
    .map((memory) => termsOfContent(memory, hashesOf))
    .filter(({ hashes }) => hashes.length <= MOST_TERMS)
  for (const [i, a] of statements.entries())
    for (const b of statements.slice(i + 1)) if (areAlike(a.hashes, b.hashes)) pairs.push([a.id, b.id])
  return pairs
}

/**
 * Returns the terms of a memory's text without those of its date and its agent, which it is found by too (`indexedTerms`). `hashesOf` keeps those of
 * each word.
 */
function termsOfContent(
  { id, text: { at, author, terms } }: Pick<Candidate, 'id' | 'text'>,
  hashesOf: Map<string, readonly number[]>,
) {
  const agent = author?.isAgent ? author.name : ''
  const beside = new Set<number>()
  for (const word of [...dateWords(new Date(at)), agent, ...wordsIn(agent)]) {
    let hashes = hashesOf.get(word)
    if (hashes === undefined) hashesOf.set(word, (hashes = (groupOf(word, 'en') ?? []).map(termHash)))
    for (const hash of hashes) beside.add(hash)
  }
  const hashes = new Uint32Array(terms.hashes.length)
  let count = 0
  for (const hash of terms.hashes) if (!beside.has(hash)) hashes[count++] = hash
  return { id, hashes: hashes.subarray(0, count) }
}

function areAlike(a: Uint32Array, b: Uint32Array): boolean {
  const longer = Math.max(a.length, b.length)
  const least = Math.max(1, Math.ceil(LEAST_SHARE * longer), longer - MOST_OTHER_TERMS)
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
