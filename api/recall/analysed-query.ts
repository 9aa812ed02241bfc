import type { AnalysedQuery, AnalysedText } from '../../domain/ranking/candidate.js'
import { analyse, fold } from '../../domain/text/analysis.js'
import { compoundsIn } from '../../domain/text/compounds.js'
import { contentWords } from '../../domain/text/query-words.js'
import type { PieceSpace } from '../../models/piece-space.js'
import type { RecallQuery } from './query.js'

/** Memories: a label that stands once ("Outage: …") is no author. An agent is one by a single memory. */
const LEAST_OF_AN_AUTHOR = 2

/**
 * The query as the scoring reads it. Authors are those of the pool: a name in the query that is one of theirs says whose words
 * are wanted, not what they are about, unless nothing else is asked.
 */
export function analyseQuery(
  query: RecallQuery,
  vector: Float32Array | null,
  pool: readonly AnalysedText[],
  space: PieceSpace,
): AnalysedQuery {
  const authors = authorsOf(pool, new Set(query.nameKeys))
  const names = new Set(authors.flatMap((author) => author.split(' ')))
  // Of words written together that no text holds so, the parts are all there is to find.
  const compounds = new Set(compoundsIn(query.text).map(fold))
  const withoutNames = contentWords(query.text, names)
  const words = withoutNames.length > 0 ? withoutNames : contentWords(query.text, new Set())
  const analysed = words.map((word) => ({ word, term: analyse(word)[0] ?? word, pieces: space.piecesOf(word) }))
  return {
    terms: query.terms,
    vector,
    words: analysed.filter(({ word, term }) => !compounds.has(word) || pool.some(({ terms }) => terms.has(term))),
    times: query.times,
    asksWhen: query.asksWhen,
    author: authors.length === 1 ? authors[0]! : null,
  }
}

function authorsOf(pool: readonly AnalysedText[], spoken: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const { author } of pool) {
    if (author === null || !spoken.has(author.name)) continue
    counts.set(author.name, (counts.get(author.name) ?? 0) + (author.isAgent ? LEAST_OF_AN_AUTHOR : 1))
  }
  return [...counts].filter(([, count]) => count >= LEAST_OF_AN_AUTHOR).map(([author]) => author)
}
