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
