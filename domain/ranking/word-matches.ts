import { WORDS } from '../text/words.js'
import { withCompoundParts } from '../text/compounds.js'
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

/** Words of a query, and of one text, that are looked at: every one of these is compared with every one of those. */
const MOST_ASKED = 16
const MOST_WORDS = 100

type Best = { readonly matched: string; readonly similarity: number }

/**
 * A function that gives a candidate's matches in the order of the query; words that nothing matches are left out. `textOf` gives
 * what may be shown of each memory; each is looked at once, beside whatever it stands.
 */
export function wordMatcher(
  words: readonly QueryWord[],
  textOf: (id: string) => string | undefined,
  space: WordPieces,
): (candidate: Pick<Candidate, 'id' | 'neighbours'>) => WordMatch[] {
  const asked = words.slice(0, MOST_ASKED)
  const nearness = asked.map(({ pieces }) => [...pieces].map((piece) => space.nearnessTo(piece)))
  const known = new Map<string, Best[]>()

  function bestOf(id: string): Best[] {
    let best = known.get(id)
    if (best === undefined) known.set(id, (best = look(wordsOf(textOf(id) ?? '', space))))
    return best
  }

  function look(found: readonly [string, Uint16Array][]): Best[] {
    return nearness.map((pieces) => {
      let best: Best = { matched: '', similarity: 0 }
      for (const [matched, theirs] of found) {
        const similarity = pieces.reduce((sum, nearest) => sum + nearest(theirs), 0) / pieces.length
        if (similarity > best.similarity) best = { matched, similarity }
      }
      return best
    })
  }

  return (candidate) => {
    const places: [id: string, share: number][] = [
      [candidate.id, 1],
      ...[...candidate.neighbours].map(([offset, id]): [string, number] => [id, WINDOW.get(offset) ?? 0]),
    ]
    return asked.flatMap(({ word }, i) => {
      const [best] = places
        .map(([memoryId, share]) => ({ memoryId, ...bestOf(memoryId)[i]!, share }))
        .sort((a, b) => b.share * b.similarity - a.share * a.similarity)
      const { memoryId, matched, similarity, share } = best!
      return share * similarity > 0 ? [{ word, matched, similarity: share * similarity, memoryId }] : []
    })
  }
}

function wordsOf(text: string, space: WordPieces): [string, Uint16Array][] {
  const words = new Set<string>()
  for (const [word] of withCompoundParts(text).matchAll(WORDS)) if (words.add(word).size === MOST_WORDS) break
  return [...words].map((word) => [word, space.piecesOf(word)])
}
