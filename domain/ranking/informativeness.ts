import type { Yielding } from '../yielding.js'
import type { AnalysedText } from './candidate.js'
import { hasDigit } from './hashed-terms.js'
import type { WeightedWord } from './lexical.js'

/** Terms between two pauses: some 20 µs. */
const TERMS_PER_STEP = 500

type InformativeText = Pick<AnalysedText, 'terms' | 'stated'>

/**
 * Returns the mean rarity of each text's terms, 0 to about 1. It ranks "thanks, great!" below texts with content, and a
 * question below its answer. Rarity is counted over the pool of candidates; the query's own terms are common there
 * because they brought the candidates in, so they count as rare. Terms with digits do not count: numbers, hashes and the
 * like are extremely rare, but not informative. Pauses after a text once there were some hundreds of terms: a pause takes as long as ten of them.
 */
export function* informativenessOf(
  pool: readonly InformativeText[],
  queryWords: readonly Pick<WeightedWord, 'hashes'>[],
): Yielding<Float64Array> {
  const size = pool.reduce((sum, { terms }) => sum + terms.hashes.length, 0)
  const counts = new FrequencyTable(size)
  // The places of all texts' terms, one text after another.
  const places = new Uint32Array(size)
  let place = 0
  let pauseAt = TERMS_PER_STEP
  for (const { terms } of pool) {
    const { hashes } = terms
    for (let at = 0; at < hashes.length; at++) places[place++] = counts.add(hashes[at]!)
    if (place < pauseAt) continue
    pauseAt = place + TERMS_PER_STEP
    yield
  }
  counts.clear(queryWords.flatMap(({ hashes }) => hashes))
  // Indexed by document frequency, which is a small integer.
  const rarities = Float64Array.from({ length: pool.length + 1 }, (_, df) => Math.log(1 + pool.length / (1 + df)))
  const most = Math.log(1 + pool.length / 2)
  place = 0
  pauseAt = TERMS_PER_STEP
  const informativeness = new Float64Array(pool.length)
  for (let i = 0; i < pool.length; i++) {
    const { terms, stated } = pool[i]!
    const { hashes, counts: occurrences } = terms
    let sum = 0
    let length = 0
    for (let at = 0; at < hashes.length; at++, place++) {
      if (hasDigit(hashes[at]!)) continue
      length += occurrences[at]!
      sum += occurrences[at]! * rarities[counts.frequencies[places[place]!]!]!
    }
    informativeness[i] = length === 0 ? 0 : (stated * sum) / length / most
    if (place < pauseAt) continue
    pauseAt = place + TERMS_PER_STEP
    yield
  }
  return informativeness
}

/** Counts how many texts have each term: a hash table of open addresses, since a map of such numbers boxes each. */
class FrequencyTable {
  readonly frequencies: Uint32Array
  readonly #hashes: Uint32Array
  readonly #mask: number

  /** Holds up to `terms` distinct terms, at most half full. */
  constructor(terms: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * terms)))
    this.frequencies = new Uint32Array(size)
    this.#hashes = new Uint32Array(size)
    this.#mask = size - 1
  }

  /** Counts one more text with the term, and returns the term's place. */
  add(hash: number): number {
    const place = this.#placeOf(hash)
    this.#hashes[place] = hash
    this.frequencies[place]!++
    return place
  }

  /** Counts these terms as if no text had them. Ends the counting: a place of frequency 0 is free. */
  clear(hashes: readonly number[]): void {
    for (const place of hashes.map((hash) => this.#placeOf(hash))) this.frequencies[place] = 0
  }

  /** The numbers are well mixed, except for their lowest bit. */
  #placeOf(hash: number): number {
    let place = (hash >>> 1) & this.#mask
    while (this.frequencies[place] !== 0 && this.#hashes[place] !== hash) place = (place + 1) & this.#mask
    return place
  }
}
