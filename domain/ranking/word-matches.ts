import type { Candidate, PieceSimilarity, QueryWord } from './candidate.js'
import { WINDOW } from './soft-coverage.js'

export interface WordPieces extends PieceSimilarity {
  piecesOf(text: string): Uint16Array
}

/** Which word of which memory a word of the query matched best, as soft coverage counts it. */
export interface WordMatch {
  readonly word: string
  readonly matched: string
  /** 0..1; of a memory beside the candidate, what is left of it there. */
  readonly similarity: number
  /** The candidate, or one beside it in its run. */
  readonly memoryId: string
}

/** Words of one text that are looked at; a text of 100,000 characters would take a second. */
const MOST_WORDS = 500
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** In the order of the query; words that nothing matches are left out. `textOf` gives what may be shown of each memory. */
export function matchWords(
  words: readonly QueryWord[],
  candidate: Pick<Candidate, 'id' | 'neighbours'>,
  textOf: (id: string) => string | undefined,
  space: WordPieces,
): WordMatch[] {
  const places: [id: string, share: number][] = [
    [candidate.id, 1],
    ...[...candidate.neighbours].map(([offset, id]): [string, number] => [id, WINDOW.get(offset) ?? 0]),
  ]
  const sources = places.map(([id, share]) => ({ id, share, words: wordsOf(textOf(id) ?? '', space) }))
  return words.flatMap(({ word, pieces }) => {
    const nearness = [...pieces].map((piece) => space.nearnessTo(piece))
    let best: WordMatch = { word, matched: '', similarity: 0, memoryId: candidate.id }
    for (const { id, share, words: found } of sources)
      for (const [matched, theirs] of found) {
        const similarity = (share * nearness.reduce((sum, nearest) => sum + nearest(theirs), 0)) / nearness.length
        if (similarity > best.similarity) best = { word, matched, similarity, memoryId: id }
      }
    return best.similarity > 0 ? [best] : []
  })
}

function wordsOf(text: string, space: WordPieces): [string, Uint16Array][] {
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) if (words.add(word).size === MOST_WORDS) break
  return [...words].map((word) => [word, space.piecesOf(word)])
}
