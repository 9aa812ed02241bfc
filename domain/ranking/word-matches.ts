import { WORD_PATTERN } from '../text/words.js'
import { withCompoundParts } from '../text/compounds.js'
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
 * `textOf` returns what may be shown of each memory; each text is read once, whichever candidates it neighbours.
 */
export function wordMatcher(
  words: readonly QueryWord[],
  textOf: (id: string) => string | undefined,
  space: WordPieces,
): (candidate: Pick<Candidate, 'id' | 'neighbours'>) => WordMatch[] {
  const asked = words.slice(0, MOST_ASKED)
  const known = new Map<string, BestMatch[]>()

  function bestMatchesOf(id: string): BestMatch[] {
    let best = known.get(id)
    if (best === undefined) known.set(id, (best = findBestMatches(distinctWordsOf(textOf(id) ?? '', space))))
    return best
  }

  function findBestMatches(found: readonly (readonly [string, Uint16Array])[]): BestMatch[] {
    const all = Uint16Array.from(found.flatMap(([, theirs]) => [...theirs]))
    return asked.map(({ pieces }) => {
      const rows = Array.from(pieces.subarray(0, MOST_PIECES), (piece) => space.similaritiesTo(piece, all))
      let best: BestMatch = { matched: '', similarity: 0 }
      let start = 0
      for (const [matched, { length }] of found) {
        const end = start + length
        const similarity = rows.reduce((sum, row) => sum + maxBetween(row, start, end), 0) / rows.length
        if (similarity > best.similarity) best = { matched, similarity }
        start = end
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

function distinctWordsOf(text: string, space: WordPieces): [string, Uint16Array][] {
  const words = new Set<string>()
  for (const [word] of withCompoundParts(text).matchAll(WORD_PATTERN)) if (words.add(word).size === MOST_WORDS) break
  return [...words].map((word) => [word, space.piecesOf(word)])
}

/** Returns the greatest value from `start` to before `end`, or 0. */
function maxBetween(values: Float32Array, start: number, end: number): number {
  let most = 0
  for (let at = start; at < end; at++) if (values[at]! > most) most = values[at]!
  return most
}
