import { analyse, segmentedWords } from '../text/analysis.js'
import { compoundParts } from '../text/words.js'
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
  const similarities = new WordSimilarities(asked, space)
  const known = new Map<string, readonly BestMatch[]>()

  /** Finds the best matches in these texts, whose words are compared all at once. */
  function readTexts(ids: readonly string[]): void {
    const unread = ids.filter((id) => !known.has(id)).map((id) => ({ id, found: distinctWordsOf(textOf(id) ?? '') }))
    similarities.compare(unread.flatMap(({ found }) => found))
    for (const { id, found } of unread) known.set(id, similarities.bestOf(found))
  }

  return (candidate) => {
    const places: [id: string, share: number][] = [
      [candidate.id, 1],
      ...candidate.neighbours.flatMap((id, place): [string, number][] =>
        id === null ? [] : [[id, NEIGHBOUR_WEIGHTS[place]!]],
      ),
    ]
    readTexts(places.map(([id]) => id))
    return asked.flatMap(({ word }, i) => {
      let best: WordMatch = { word, matched: '', similarity: 0, memoryId: candidate.id }
      for (const [memoryId, share] of places) {
        const { matched, similarity } = known.get(memoryId)![i]!
        if (share * similarity > best.similarity) best = { word, matched, similarity: share * similarity, memoryId }
      }
      return best.similarity > 0 ? [best] : []
    })
  }
}

/**
 * The similarity of words to each of those that are asked: the mean over the pieces of the asked one, each with its most similar piece.
 * A word without pieces is similar to words with one of its terms alone.
 */
class WordSimilarities {
  readonly #known = new Map<string, readonly number[]>()

  constructor(
    private readonly asked: readonly QueryWord[],
    private readonly space: WordPieces,
  ) {}

  /** Compares the words that are new. */
  compare(words: readonly string[]): void {
    const unknown = [...new Set(words)].filter((word) => !this.#known.has(word))
    const pieces = unknown.map((word) => this.space.piecesOf(word))
    const ends: number[] = []
    for (const { length } of pieces) ends.push((ends.at(-1) ?? 0) + length)
    const all = new Uint16Array(ends.at(-1) ?? 0)
    for (const [i, own] of pieces.entries()) all.set(own, ends[i]! - own.length)
    const columns = this.asked.map(({ terms, pieces }) =>
      pieces.length === 0
        ? unknown.map((word) => (analyse(word, null).some((term) => terms.includes(term)) ? 1 : 0))
        : this.#meansOf(pieces.subarray(0, MOST_PIECES), all, ends),
    )
    for (const [i, word] of unknown.entries())
      this.#known.set(
        word,
        columns.map((column) => column[i]!),
      )
  }

  #meansOf(asked: Uint16Array, all: Uint16Array, ends: readonly number[]): Float64Array {
    const means = new Float64Array(ends.length)
    if (all.length === 0) return means
    for (const piece of asked) {
      const row = this.space.similaritiesTo(piece, all)
      for (let i = 0, at = 0; i < ends.length; i++) {
        let most = 0
        for (const end = ends[i]!; at < end; at++) if (row[at]! > most) most = row[at]!
        means[i]! += most
      }
    }
    for (let i = 0; i < means.length; i++) means[i]! /= asked.length || 1
    return means
  }

  /** Returns for each asked word which of these words, which were compared, is most similar to it. */
  bestOf(words: readonly string[]): readonly BestMatch[] {
    const best = this.asked.map(() => ({ matched: '', similarity: 0 }))
    for (const matched of words) {
      const similarities = this.#known.get(matched)!
      for (let i = 0; i < best.length; i++)
        if (similarities[i]! > best[i]!.similarity) best[i] = { matched, similarity: similarities[i]! }
    }
    return best
  }
}

/** Returns the first words of a text, each once; after a compound its parts. */
function distinctWordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const word of segmentedWords(text)) {
    const parts = compoundParts(word)
    for (const each of parts.length === 1 ? parts : [word, ...parts])
      if (words.add(each).size === MOST_WORDS) return [...words]
  }
  return [...words]
}
