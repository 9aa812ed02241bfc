import type { AnalysedText, TermStatistics } from './candidate.js'

/** Memories are short, so frequency and length say less than in the 1.2 and .75 of long documents (research on chats: .60 → .62 R@10). */
const K1 = 0.6
const B = 0.3

/** Robertson–Spärck Jones weight in Lucene's form, which is never negative. */
export function rarity(term: string, statistics: TermStatistics): number {
  const df = Math.min(statistics.frequency.get(term) ?? 0, statistics.documents)
  return Math.log(1 + (statistics.documents - df + 0.5) / (df + 0.5))
}

export interface LexicalScore {
  readonly bm25: number
  /** Share of the query's rarity that the text holds: 0..1. */
  readonly coverage: number
}

/** BM25 (Robertson and Zaragoza, 2009) of a text for the query's distinct terms with their rarities. */
export function lexicalScore(
  rarities: ReadonlyMap<string, number>,
  text: AnalysedText,
  averageLength: number,
): LexicalScore {
  const norm = K1 * (1 - B + (B * text.length) / Math.max(1, averageLength))
  let bm25 = 0
  let covered = 0
  let total = 0
  for (const [term, weight] of rarities) {
    total += weight
    const frequency = text.terms.get(term)
    if (frequency === undefined) continue
    covered += weight
    bm25 += (weight * frequency * (K1 + 1)) / (frequency + norm)
  }
  return { bm25, coverage: total === 0 ? 0 : covered / total }
}

/**
 * The index's counts joined with what the pool holds: rows that the index has yet to take count too, and a tenant whose
 * first memories are all pending still has rare and common words.
 */
export function poolStatistics(
  indexed: TermStatistics | null,
  pool: readonly AnalysedText[],
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
