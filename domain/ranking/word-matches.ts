import { WORD_PATTERN } from '../text/words.js'
import { compoundParts } from '../text/compounds.js'
import type { Candidate, PieceSimilarity, QueryWord } from './candidate.js'
import { NEIGHBOUR_WEIGHTS } from './soft-coverage.js'

export interface WordPieces extends PieceSimilarity {
  piecesOf(text: string): Uint16Array
}

/** The word of a memory that a word of the query matched best, as soft coverage counts it. */
export interface WordMatch {
  readonly word: string
  readonly matched: string
  /** 0..1; reduced by the neighbour's weight when the match is in a neighbour of the candidate. */
  readonly similarity: number
  /** The candidate, or a neighbour in its run. */
  readonly memoryId: string
}

/** Words of a query, and of one text, that are compared, each with each; and pieces of a word of the query. */
const MOST_ASKED = 16
const MOST_WORDS = 100
const MOST_PIECES = 16

type BestMatch = { readonly matched: string; readonly similarity: number }

/**
 * Returns a function that lists a candidate's matches in the order of the query; words without a match are left out.
 * `textOf` returns what may be shown of each memory; each text is read once, whichever candidates it neighbours, and each
 * word is compared once, whichever texts have it.
 */
export function wordMatcher(
  words: readonly QueryWord[],
  textOf: (id: string) => string | undefined,
  space: WordPieces,
): (candidate: Pick<Candidate, 'id' | 'neighbours'>) => WordMatch[] {
  const asked = words.slice(0, MOST_ASKED)
  const similaritiesOf = wordComparer(asked, space)
  const known = new Map<string, BestMatch[]>()

  function bestMatchesOf(id: string): BestMatch[] {
    let best = known.get(id)
    if (best === undefined) known.set(id, (best = findBestMatches(distinctWordsOf(textOf(id) ?? ''))))
    return best
  }

  function findBestMatches(found: readonly string[]): BestMatch[] {
    const similarities = similaritiesOf(found)
    return asked.map((_, i) => {
      let best: BestMatch = { matched: '', similarity: 0 }
      for (const [at, matched] of found.entries()) {
        const similarity = similarities[at]![i]!
        if (similarity > best.similarity) best = { matched, similarity }
      }
      return best
    })
  }

  return (candidate) => {
    const places: [id: string, share: number][] = [
      [candidate.id, 1],
      ...candidate.neighbours.flatMap((id, place): [string, number][] =>
        id === null ? [] : [[id, NEIGHBOUR_WEIGHTS[place]!]],
      ),
    ]
    return asked.flatMap(({ word }, i) => {
      const [best] = places
        .map(([memoryId, share]) => ({ memoryId, ...bestMatchesOf(memoryId)[i]!, share }))
        .sort((a, b) => b.share * b.similarity - a.share * a.similarity)
      const { memoryId, matched, similarity, share } = best!
      return share * similarity > 0 ? [{ word, matched, similarity: share * similarity, memoryId }] : []
    })
  }
}

/**
 * Returns a function that compares words with those that are asked: for each word its similarity to each of these, the mean over their
 * pieces. Compares a word once.
 */
function wordComparer(asked: readonly QueryWord[], space: WordPieces): (words: readonly string[]) => Float64Array[] {
  const known = new Map<string, Float64Array>()
  return (words) => {
    const unknown = words.filter((word) => !known.has(word)).map((word) => [word, space.piecesOf(word)] as const)
    const all = Uint16Array.from(unknown.flatMap(([, pieces]) => [...pieces]))
    for (const [word] of unknown) known.set(word, new Float64Array(asked.length))
    if (all.length > 0)
      for (const [i, { pieces }] of asked.entries()) {
        const rows = Array.from(pieces.subarray(0, MOST_PIECES), (piece) => space.similaritiesTo(piece, all))
        let start = 0
        for (const [word, { length }] of unknown) {
          const end = start + length
          known.get(word)![i] = rows.reduce((sum, row) => sum + maxBetween(row, start, end), 0) / rows.length
          start = end
        }
      }
    return words.map((word) => known.get(word)!)
  }
}

/** Returns the first words of a text, each once; after a compound its parts. */
function distinctWordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD_PATTERN)) {
    const parts = compoundParts(word)
    for (const each of parts.length === 1 ? parts : [word, ...parts])
      if (words.add(each).size === MOST_WORDS) return [...words]
  }
  return [...words]
}

/** Returns the greatest value from `start` to before `end`, or 0. */
function maxBetween(values: Float32Array, start: number, end: number): number {
  let most = 0
  for (let at = start; at < end; at++) if (values[at]! > most) most = values[at]!
  return most
}
