import { inverseFrequency, lengthNorm, termScore } from './bm25.js'
import type { AnalysedText, TermStatistics } from './candidate.js'
import { occurrencesOf, termHash } from './hashed-terms.js'

type CountedText = Pick<AnalysedText, 'terms' | 'length'>

/** Returns a term's rarity in the tenant; never negative, even when the count of its documents is stale. */
export function rarity(term: string, statistics: TermStatistics): number {
  const df = Math.min(statistics.frequency.get(term) ?? 0, statistics.documents)
  return inverseFrequency(statistics.documents, df)
}

export interface LexicalScore {
  readonly bm25: number
  /** Share of the query's rarity that the text's terms cover: 0..1. */
  readonly coverage: number
}

/** A term of the query by its number, and its rarity. */
export interface WeightedTerm {
  readonly hash: number
  readonly weight: number
}

/** Returns the distinct terms with their rarities. */
export function weightedTerms(terms: readonly string[], statistics: TermStatistics): WeightedTerm[] {
  return Array.from(new Set(terms), (term) => ({ hash: termHash(term), weight: rarity(term, statistics) }))
}

/** Returns a text's BM25 and coverage for the query's distinct terms. */
export function lexicalScore(
  weighted: readonly WeightedTerm[],
  text: CountedText,
  averageLength: number,
): LexicalScore {
  const norm = lengthNorm(text.length, averageLength)
  let bm25 = 0
  let covered = 0
  let total = 0
  for (const { hash, weight } of weighted) {
    total += weight
    const frequency = occurrencesOf(hash, text.terms)
    if (frequency === 0) continue
    covered += weight
    bm25 += termScore(weight, frequency, norm)
  }
  return { bm25, coverage: total === 0 ? 0 : covered / total }
}

/**
 * Combines the index's counts with those of the pool: rows that are not indexed yet count too, and a tenant whose first
 * memories are all pending still has rare and common terms.
 */
export function poolStatistics(
  indexed: TermStatistics | null,
  pool: readonly CountedText[],
  terms: readonly string[],
): TermStatistics {
  const hashes = terms.map(termHash)
  const inPool = hashes.map(() => 0)
  let length = 0
  for (const text of pool) {
    length += text.length
    for (const [i, hash] of hashes.entries()) if (occurrencesOf(hash, text.terms) > 0) inPool[i]!++
  }
  const frequency = new Map(terms.map((term, i) => [term, Math.max(indexed?.frequency.get(term) ?? 0, inPool[i]!)]))
  return {
    documents: Math.max(indexed?.documents ?? 0, pool.length),
    averageLength: indexed?.averageLength || length / Math.max(1, pool.length),
    frequency,
  }
}
