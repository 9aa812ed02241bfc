import type { TermGroup } from '../text/analysis.js'
import type { TermStatistics } from '../ranking/candidate.js'
import { dot } from '../ranking/vectors.js'
import type { HashedTerms } from '../ranking/hashed-terms.js'
import { lexicalScores, weightedWords } from '../ranking/lexical.js'
import { VECTOR_WEIGHT, KEYWORD_WEIGHT } from '../ranking/weights.js'

/** A document's text as the scoring reads it: computed once for each version. */
export interface DocumentText {
  /** Those of all string leaves. */
  readonly terms: HashedTerms
  /** Number of words, counting repetitions. */
  readonly length: number
  /** Unit vector of the embedded text, or null when there is none (yet). */
  readonly vector: Float32Array | null
}

export interface DocumentCandidate {
  readonly id: string
  /** Unix milliseconds. */
  readonly updatedAt: number
  readonly text: DocumentText
}

export interface RankedDocument {
  readonly id: string
  /** 0..1: the two parts, weighted as keyword and vector scores are wherever these two alone rate a memory. */
  readonly score: number
  /**
   * 0..1, comparable between queries: the cosine, or the share of the query's rarity that the text's terms cover if
   * that is greater.
   */
  readonly similarity: number
  readonly parts: {
    /** The cosine, 0..1. */
    readonly vec_sim: number
    /** BM25 divided by the best candidate's, 0..1. */
    readonly fts_score: number
  }
}

/**
 * Scores the candidates that match by keyword or vector, best first. Equal scores are ordered by last change, newest
 * first, then by id.
 */
export function rankDocuments(
  query: { readonly groups: readonly TermGroup[]; readonly vector: Float32Array | null },
  candidates: readonly DocumentCandidate[],
  statistics: TermStatistics,
): RankedDocument[] {
  const weighted = weightedWords(query.groups, statistics)
  const texts = candidates.map(({ text }) => text)
  const { bm25, coverage } = lexicalScores(weighted, texts, statistics.averageLength)
  const best = bm25.reduce((most, score) => Math.max(most, score), 0)
  return candidates
    .map(({ id, updatedAt, text }, i) => {
      const vec_sim = query.vector && text.vector ? clamp(dot(query.vector, text.vector)) : 0
      const fts_score = best === 0 ? 0 : bm25[i]! / best
      const score = KEYWORD_WEIGHT * fts_score + VECTOR_WEIGHT * vec_sim
      return { id, updatedAt, score, similarity: Math.max(vec_sim, coverage[i]!), parts: { vec_sim, fts_score } }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
    .map(({ updatedAt: _, ...ranked }) => ranked)
}

function clamp(cosine: number): number {
  return Math.min(1, Math.max(0, cosine))
}
