import type { AnalysedQuery, AnalysedText } from '../../domain/ranking/candidate.js'
import { analyse } from '../../domain/text/analysis.js'
import { contentWords } from '../../domain/text/query-words.js'
import type { PieceSpace } from '../../models/piece-space.js'
import type { RecallQuery } from './query.js'

/**
 * The query as the scoring reads it. Authors are those of the pool: a name in the query that is one of theirs says whose words
 * are wanted, not what they are about.
 */
export function analyseQuery(
  query: RecallQuery,
  vector: Float32Array | null,
  pool: readonly AnalysedText[],
  space: PieceSpace,
): AnalysedQuery {
  const spoken = new Set(query.nameKeys)
  const authors = new Set(pool.flatMap(({ author }) => (author !== null && spoken.has(author) ? [author] : [])))
  const [first] = authors
  const names = new Set([...authors].flatMap((author) => author.split(' ')))
  return {
    terms: query.terms,
    vector,
    words: contentWords(query.text, names).map((word) => ({
      word,
      term: analyse(word)[0] ?? word,
      pieces: space.piecesOf(word),
    })),
    times: query.times,
    asksWhen: query.asksWhen,
    author: authors.size === 1 ? first! : null,
  }
}
