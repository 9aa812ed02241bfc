import type { Yielding } from '../yielding.js'
import type { PieceSimilarity, QueryWord, TermStatistics } from './candidate.js'
import { termHash } from './hashed-terms.js'
import { occurrencesOfWord, rarity } from './lexical.js'
import { NEIGHBOUR_OFFSETS, NEIGHBOURS, type NeighbourOffset, type Pool } from './pool.js'

const WEIGHT_AT: Readonly<Record<NeighbourOffset, number>> = { [-2]: 0.7, [-1]: 0.85, 1: 0.7, 2: 0.5 }
/** Weights of a match in the neighbours, in the order of `NEIGHBOUR_OFFSETS`. */
export const NEIGHBOUR_WEIGHTS: readonly number[] = NEIGHBOUR_OFFSETS.map((offset) => WEIGHT_AT[offset])

/**
 * Number of a query's rarest pieces and unknown words that are matched; a typical question has some ten. Each is compared
 * with every text of the pool.
 */
const MOST_ASKED = 32

/** Part of the weight of a word that no candidate has, for which the meaning of the texts decides. */
const ABSENT_BY_MEANING = 0.5

/**
 * Computes late interaction over word pieces (as ColBERT does over contextual ones: Khattab and Zaharia, 2020). Each
 * piece of the query takes its best match in the memory or, at a lower weight, in its neighbours; the evidence is the
 * share of the query's rarity that is matched, 0..1. Similar words match in part, so it is query expansion and
 * morphology in one. A word without pieces matches where one of its terms occurs, and if it occurs in no candidate, which is so of most
 * questions in another language, half of its weight goes by `meaning`, the evidence of that name. Pauses after each piece of the query.
 */
export function* softCoverage(
  words: readonly QueryWord[],
  { candidates, neighbours }: Pool,
  statistics: TermStatistics,
  space: PieceSimilarity,
  meaning: ArrayLike<number>,
): Yielding<Float64Array> {
  const asked = askedOf(words, statistics)
  const total = asked.reduce((sum, { weight }) => sum + weight, 0)
  const covered = new Float64Array(candidates.length)
  if (total === 0) return covered
  const own = new Float64Array(candidates.length)
  const { distinct, numbers, ends } = numberPieces(candidates)
  for (const { piece, hashes, weight } of asked) {
    if (piece === null) {
      let occurrences = 0
      for (let i = 0; i < own.length; i++)
        occurrences += own[i] = occurrencesOfWord(hashes, candidates[i]!.text.terms) && 1
      if (occurrences === 0) {
        for (let i = 0; i < own.length; i++) covered[i]! += weight * ABSENT_BY_MEANING * meaning[i]!
        continue
      }
    } else {
      const similarities = space.similaritiesTo(piece, distinct)
      for (let i = 0, at = 0; i < own.length; i++) {
        let nearest = 0
        for (const end = ends[i]!; at < end; at++) {
          const similarity = similarities[numbers[at]!]!
          if (similarity > nearest) nearest = similarity
        }
        own[i] = nearest
      }
    }
    for (let i = 0; i < own.length; i++) {
      let best = own[i]!
      for (let place = 0; place < NEIGHBOURS; place++) {
        const other = neighbours[NEIGHBOURS * i + place]!
        if (other >= 0) best = Math.max(best, NEIGHBOUR_WEIGHTS[place]! * own[other]!)
      }
      covered[i]! += weight * best
    }
    yield
  }
  return covered.map((weight) => weight / total)
}

/** A piece of the query, or the terms of a word that has none. */
interface Asked {
  readonly piece: number | null
  readonly hashes: readonly number[]
  readonly weight: number
}

/** Returns the rarest pieces and unknown words of the query, each once, as rare as the last word that it is in. */
function askedOf(words: readonly QueryWord[], statistics: TermStatistics): Asked[] {
  const asked = new Map<string, Asked>()
  for (const { terms, pieces } of words) {
    const [hashes, weight] = [terms.map(termHash), rarity(terms, statistics)]
    for (const piece of pieces.length > 0 ? pieces : [null])
      asked.set(piece === null ? `=${terms[0]}` : `${piece}`, { piece, hashes, weight })
  }
  const rarest = [...asked.values()].sort(
    (a, b) => b.weight - a.weight || (a.piece ?? a.hashes[0]!) - (b.piece ?? b.hashes[0]!),
  )
  return rarest.slice(0, MOST_ASKED)
}

/**
 * Returns the share of the query's rarity that its words without pieces have, 0..1: of these the table knows no similar word.
 */
export function unknownShare(words: readonly QueryWord[], statistics: TermStatistics): number {
  let [unknown, all] = [0, 0]
  for (const { terms, pieces } of words) {
    const weight = rarity(terms, statistics)
    all += weight
    if (pieces.length === 0) unknown += weight
  }
  return all === 0 ? 0 : unknown / all
}

/** Numbers by piece, from 1 on; all 0 between two calls of `numberPieces`. */
const numberOf = new Uint32Array(65_536)

/**
 * Numbers the distinct pieces of all candidates, so that a piece of the query is compared once with each, and lists those
 * of each text one after another.
 */
function numberPieces(candidates: Pool['candidates']) {
  const size = candidates.reduce((sum, { text }) => sum + text.pieces.length, 0)
  const distinct = new Uint16Array(size)
  const numbers = new Uint16Array(size)
  const ends = new Uint32Array(candidates.length)
  let [count, end] = [0, 0]
  for (const [i, { text }] of candidates.entries()) {
    const { pieces } = text
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]!
      if (numberOf[piece] === 0) {
        distinct[count] = piece
        numberOf[piece] = ++count
      }
      numbers[end++] = numberOf[piece]! - 1
    }
    ends[i] = end
  }
  for (let i = 0; i < count; i++) numberOf[distinct[i]!] = 0
  return { distinct: distinct.subarray(0, count), numbers, ends }
}
