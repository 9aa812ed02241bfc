import { inverseFrequency, lengthNorm, termScore } from './bm25.js'
import type { AnalysedText, TermStatistics } from './candidate.js'
import { occurrencesOf, termHash } from './hashed-terms.js'

type CountedText = Pick<AnalysedText, 'terms' | 'length'>

/** Returns a term's rarity among what the caller sees; never negative, even when the count of its documents is stale. */
export function rarity(term: string, statistics: TermStatistics): number {
  const df = Math.min(statistics.frequency.get(term) ?? 0, statistics.documents)
  return inverseFrequency(statistics.documents, df)
}

export interface LexicalScores {
  readonly bm25: Float64Array
  /** Share of the query's rarity that a text's terms cover: 0..1. */
  readonly coverage: Float64Array
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

/** Returns the BM25 and the coverage of each text for the query's distinct terms. */
export function lexicalScores(
  weighted: readonly WeightedTerm[],
  texts: readonly CountedText[],
  averageLength: number,
): LexicalScores {
  const bm25 = new Float64Array(texts.length)
  const coverage = new Float64Array(texts.length)
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  for (let i = 0; i < texts.length; i++) {
    const { length, terms } = texts[i]!
    const norm = lengthNorm(length, averageLength)
    let covered = 0
    for (const { hash, weight } of weighted) {
      const frequency = occurrencesOf(hash, terms)
      if (frequency === 0) continue
      covered += weight
      bm25[i]! += termScore(weight, frequency, norm)
    }
    coverage[i] = total === 0 ? 0 : covered / total
  }
  return { bm25, coverage }
}

function countIn(pool: readonly CountedText[], term: string): number {
  const hash = termHash(term)
  let count = 0
  for (const { terms } of pool) if (occurrencesOf(hash, terms) > 0) count++
  return count
}

/**
 * Combines the index's counts with those of the pool: rows that are not indexed yet count too, and a tenant whose first
 * memories are all pending still has rare and common terms. Without the index's counts (`indexed` is null: none were asked for, they failed, or
 * the engine is away) those of the pool alone count. The index counts the first terms of a very long query only: the others are
 * taken to be in every document, so that they have no weight.
 */
export function poolStatistics(
  indexed: TermStatistics | null,
  pool: readonly CountedText[],
  terms: readonly string[],
): TermStatistics {
  const length = pool.reduce((sum, text) => sum + text.length, 0)
  const documents = Math.max(indexed?.documents ?? 0, pool.length)
  const countOf = (term: string) => (indexed === null ? 0 : (indexed.frequency.get(term) ?? documents))
  const frequency = new Map<string, number>()
  for (const term of terms) {
    const counted = countOf(term)
    frequency.set(term, counted >= pool.length ? counted : Math.max(counted, countIn(pool, term)))
  }
  return {
    documents,
    averageLength: indexed?.averageLength || length / Math.max(1, pool.length),
    frequency,
  }
}
