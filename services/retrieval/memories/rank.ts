import { type Confidence, confidenceOf, RESULTS_READ } from '../../../domain/answers/confidence.js'
import type { SupersessionLink } from '../../../domain/life/lineage.js'
import type { RecallQuery } from '../../../domain/query.js'
import type { AnalysedQuery, AnalysedText } from '../../../domain/ranking/candidate.js'
import { termHash } from '../../../domain/ranking/hashed-terms.js'
import { occurrencesOfWord, poolStatistics } from '../../../domain/ranking/lexical.js'
import type { DeduplicatedMemory, RankOptions } from '../../../domain/ranking/rank.js'
import { fold, groupOf, type TermGroup } from '../../../domain/text/analysis.js'
import { nameKey } from '../../../domain/text/memory-text.js'
import { contentWords } from '../../../domain/text/query-words.js'
import { isUnspaced } from '../../../domain/text/segments.js'
import { compoundsIn } from '../../../domain/text/words.js'
import type { Yielding } from '../../../domain/yielding.js'
import type { PieceSpace } from '../../../models/piece-space.js'
import type { MemoryCandidates } from './candidates.js'
import type { RecallContext } from './context.js'
import type { LoadedMemories } from './load.js'

interface RankedMemories {
  /** The first results, best first, equal texts once. */
  readonly first: readonly DeduplicatedMemory[]
  /** The query as it was scored. */
  readonly analysed: AnalysedQuery
  /** Says how likely it is that they answer the query. */
  readonly confidence: Confidence
}

/**
 * Ranking and explaining have slices of 2 ms: a recall of another caller comes back to the event loop some six times, and waits so long each time.
 * They hold no locks, so that a long one can let shorter ones go first.
 */
export const RECALL_SLICES = { sliceMs: 2, mostTurns: 4 } as const

/** Ranks what was loaded, and returns the first `most` of those at least as similar as `minScore`. */
export function* rankMemories(
  { pieceSpace, rank }: Pick<RecallContext, 'pieceSpace' | 'rank'>,
  query: RecallQuery,
  { statistics: indexed, vector, first: { settings } }: MemoryCandidates,
  { candidates, links }: LoadedMemories,
  limits: Required<Pick<RankOptions, 'minScore' | 'most'>>,
): Yielding<RankedMemories> {
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(indexed, texts, query.terms)
  const analysed = analyseQuery(query, vector, texts, pieceSpace)
  const options = {
    now: query.filter.knownAt ?? query.filter.now,
    freshnessFloor: settings.recall.freshness_floor,
    ...limits,
    successorsOf: successorsIn(links),
  }
  yield
  const first = yield* rank(analysed, candidates, statistics, pieceSpace, options)
  return { first, analysed, confidence: confidenceOf(analysed, first.slice(0, Math.max(RESULTS_READ, query.topK))) }
}

/** Returns a function that follows these links to whatever superseded a memory. */
function successorsIn(links: readonly SupersessionLink[]): ((id: string) => readonly string[]) | undefined {
  if (links.length === 0) return undefined
  const next = new Map<string, string[]>()
  for (const { oldId, newId } of links) next.set(oldId, [...(next.get(oldId) ?? []), newId])
  return (id) => {
    if (!next.has(id)) return []
    const reached = new Set([id])
    for (const one of reached) for (const newId of next.get(one) ?? []) reached.add(newId)
    reached.delete(id)
    return [...reached]
  }
}

const NO_PIECES = new Uint16Array(0)

/** Memories that make a name an author's: a label that occurs once ("Outage: …") is none. One memory is enough when the name is an agent's. */
const MIN_AUTHOR_MEMORIES = 2

/**
 * Returns the query in the form that the scoring reads. Authors are those of the memories in the pool: when the query names one of them,
 * the name says whose memories are wanted and is not matched as a word, unless the query has no other words.
 */
function analyseQuery(
  query: RecallQuery,
  vector: Float32Array | null,
  pool: readonly AnalysedText[],
  space: PieceSpace,
): AnalysedQuery {
  const authors = authorsOf(pool, query)
  const names = new Set(authors.flatMap((author) => author.split(' ')))
  // A compound that occurs in no text of the pool is matched by its parts alone.
  const compounds = new Set(compoundsIn(query.text).map(fold))
  const withoutNames = contentWords(query.text, names, query.languages)
  // The pieces are English, so they say nothing of a word like "Rechnung".
  const mayBeEnglish = query.language === null || query.language === 'en'
  const piecesOf = (word: string) => (mayBeEnglish && space.knows(word) ? space.piecesOf(word) : NO_PIECES)
  const words = withoutNames.length > 0 ? withoutNames : contentWords(query.text, new Set(), query.languages)
  const analysed = words
    .map((word) => ({ word, terms: groupOf(word, query.language) ?? [] }))
    .filter(({ terms: [first] }) => first !== undefined && !query.leftOut.has(first))
  const isInPool = (group: TermGroup) => {
    const hashes = group.map(termHash)
    return pool.some(({ terms }) => occurrencesOfWord(hashes, terms) > 0)
  }
  return {
    ...query,
    vector,
    words: analysed
      .filter(({ word, terms }) => !compounds.has(word) || isInPool(terms))
      .map(({ word, terms }) => ({ word, terms, pieces: piecesOf(word) })),
    author: authors.length === 1 ? authors[0]! : null,
  }
}

/** Returns the authors that the query names; in a script without spaces a name may stand anywhere in it. */
function authorsOf(pool: readonly AnalysedText[], { nameKeys, text }: RecallQuery): string[] {
  const names = new Set(nameKeys)
  const whole = isUnspaced(text) ? nameKey(text) : ''
  const isNamed = (name: string) => names.has(name) || (name.length > 1 && isUnspaced(name) && whole.includes(name))
  const counts = new Map<string, number>()
  for (const { author } of pool) {
    if (author === null || !isNamed(author.name)) continue
    counts.set(author.name, (counts.get(author.name) ?? 0) + (author.isAgent ? MIN_AUTHOR_MEMORIES : 1))
  }
  return [...counts].filter(([, count]) => count >= MIN_AUTHOR_MEMORIES).map(([author]) => author)
}
