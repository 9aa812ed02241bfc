/**
 * The distinct terms of a text as numbers: 32 bits of each, ascending, with how often it occurs. A text of 25 terms
 * takes 150 bytes.
 *
 * Two different terms have the same number with a probability of 2⁻³¹. Among the 3,000 distinct terms of a pool some
 * pair has in one recall of 500, and a query of ten terms meets a wrong one in one recall of 70,000; it then counts as
 * if the text had the term. Nothing else depends on it, and whoever makes such a word might as well write the other.
 */
export interface HashedTerms {
  /** Ascending; those of terms with digits are odd. */
  readonly hashes: Uint32Array
  /** Occurrences by position, 65,535 at most. */
  readonly counts: Uint16Array
}

const HAS_DIGIT = /\p{N}/u
const MOST_OCCURRENCES = 65_535

/** Returns a term's number: FNV-1a over its UTF-16 units, mixed as by MurmurHash3; odd for a term with a digit. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash = (hash ^ (hash >>> 16)) >>> 0
  return HAS_DIGIT.test(term) ? (hash | 1) >>> 0 : (hash & ~1) >>> 0
}

/** Returns true for the number of a term with a digit. */
export function hasDigit(hash: number): boolean {
  return (hash & 1) === 1
}

export function hashTerms(terms: readonly string[]): HashedTerms {
  const all = Uint32Array.from(terms, termHash).sort()
  const hashes = all.filter((hash, i) => i === 0 || hash !== all[i - 1])
  const counts = new Uint16Array(hashes.length)
  let at = -1
  for (const [i, hash] of all.entries()) {
    if (i === 0 || hash !== all[i - 1]) at++
    if (counts[at]! < MOST_OCCURRENCES) counts[at]!++
  }
  return { hashes, counts }
}

/** Returns how often the term of this number occurs. */
export function occurrencesOf(hash: number, { hashes, counts }: HashedTerms): number {
  let [low, high] = [0, hashes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (hashes[middle]! < hash) low = middle + 1
    else high = middle
  }
  return hashes[low] === hash ? counts[low]! : 0
}

const FILTER_MASK = 4_095

/** Finds the terms of a query in texts. It looks once at each term of a text, however many the query has. */
export class TermMatcher {
  readonly #placesOf = new Map<number, number[]>()
  /** 1 for what a term of the query may have: a look here costs a tenth of one in the map. */
  readonly #filter = new Uint8Array(FILTER_MASK + 1)

  constructor(hashes: readonly number[]) {
    for (const [place, hash] of hashes.entries()) {
      this.#filter[(hash >>> 1) & FILTER_MASK] = 1
      const places = this.#placesOf.get(hash)
      if (places === undefined) this.#placesOf.set(hash, [place])
      else places.push(place)
    }
  }

  /** Calls `found` with the place of each term of the query that the text has, and with how often it occurs. */
  findIn({ hashes, counts }: HashedTerms, found: (place: number, occurrences: number) => void): void {
    const filter = this.#filter
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i]!
      if (filter[(hash >>> 1) & FILTER_MASK] === 0) continue
      const places = this.#placesOf.get(hash)
      if (places !== undefined) for (let at = 0; at < places.length; at++) found(places[at]!, counts[i]!)
    }
  }
}
