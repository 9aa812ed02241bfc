import { inverseFrequency, lengthNorm, termScore } from './bm25.js'
import type { AnalysedText, TermStatistics } from './candidate.js'

type Counted = Pick<AnalysedText, 'terms' | 'length'>

/** How rare a term is in the tenant; a stale count of its documents never makes it negative. */
export function rarity(term: string, statistics: TermStatistics): number {
  const df = Math.min(statistics.frequency.get(term) ?? 0, statistics.documents)
  return inverseFrequency(statistics.documents, df)
}

export interface LexicalScore {
  readonly bm25: number
  /** Share of the query's rarity that the text holds: 0..1. */
  readonly coverage: number
}

/** BM25 of a text for the query's distinct terms with their rarities. */
export function lexicalScore(
  rarities: ReadonlyMap<string, number>,
  text: Counted,
  averageLength: number,
): LexicalScore {
  const norm = lengthNorm(text.length, averageLength)
  let bm25 = 0
  let covered = 0
  let total = 0
  for (const [term, weight] of rarities) {
    total += weight
    const frequency = text.terms.get(term)
    if (frequency === undefined) continue
    covered += weight
    bm25 += termScore(weight, frequency, norm)
  }
  return { bm25, coverage: total === 0 ? 0 : covered / total }
}

/**
 * The index's counts joined with what the pool holds: rows that the index has yet to take count too, and a tenant whose
 * first memories are all pending still has rare and common words.
 */
export function poolStatistics(
  indexed: TermStatistics | null,
  pool: readonly Counted[],
  terms: readonly string[],
): TermStatistics {
  const length = pool.reduce((sum, text) => sum + text.length, 0)
  const frequency = new Map<string, number>()
  for (const term of terms) {
    const inPool = pool.reduce((count, text) => count + (text.terms.has(term) ? 1 : 0), 0)
    frequency.set(term, Math.max(indexed?.frequency.get(term) ?? 0, inPool))
  }
  return {
    documents: Math.max(indexed?.documents ?? 0, pool.length),
    averageLength: indexed?.averageLength || length / Math.max(1, pool.length),
    frequency,
  }
}
