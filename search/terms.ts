import { createHash } from 'node:crypto'

/** Maximum number of hits of one leg. OpenSearch would return 10,000. */
const MAX_HITS = 4096

/**
 * Maximum number of distinct terms of one search in SQLite; the rest are dropped. OpenSearch limits tokens instead, of which a term has one for
 * each audience (opensearch/search-bodies.ts), and compares this many of a document: Lucene refuses a query of more than 1,024 clauses.
 */
export const MAX_QUERY_TERMS = 512

export function clampSize(size: number): number {
  return Math.max(1, Math.min(MAX_HITS, Math.trunc(size)))
}

/**
 * Returns a term as both engines store it: always one token. Lucene's whitespace tokenizer splits at white space and
 * after 255 characters, and a query separates the forms of a term by `|`, so a term that either would split (the
 * analysis of domain/text produces none) is stored as its hash.
 */
function storedTerm(term: string): string {
  return term.length <= 200 && !SPLITS_TOKEN.test(term) ? term : `#${createHash('sha256').update(term).digest('hex')}`
}

export function storedTerms(terms: readonly string[]): string[] {
  return terms.filter((term) => term !== '').map(storedTerm)
}

/** Returns the terms of a search: each once, at most `limit`, mapped from its stored form to the caller's. */
export function queryTerms(terms: readonly string[], limit = MAX_QUERY_TERMS): Map<string, string> {
  const wanted = new Map<string, string>()
  for (const term of terms) {
    if (wanted.size === limit) break
    if (term !== '') wanted.set(storedTerm(term), term)
  }
  return wanted
}

/** Matches `|`, and JavaScript's white space and Java's, which adds the separators U+001C to U+001F. */
const SPLITS_TOKEN = /[\s\u001c-\u001f|]/u
