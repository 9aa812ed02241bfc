import type { RecallQuery } from '../query.js'
import type { TermGroup } from '../text/analysis.js'
import type { MemoryStatus, MemoryType } from '../memory.js'
import type { HashedTerms } from './hashed-terms.js'
import type { ShortVector } from './vectors.js'

/** A text as the scoring reads it: computed once for each version of a memory. Times are Unix milliseconds. */
export interface AnalysedText {
  readonly terms: HashedTerms
  /** Number of words, counting repetitions. */
  readonly length: number
  /** Unit vector, or null when there is none (yet). */
  readonly vector: ShortVector | null
  /** Distinct word pieces. */
  readonly pieces: Uint16Array
  readonly author: Author | null
  /** Share of the text that is not questions, 0..1. */
  readonly stated: number
  /** True when the text says when something was. */
  readonly mentionsTime: boolean
  /** 16 characters of one byte, equal for duplicates. */
  readonly textKey: string
  /** The time that the memory is about: ts_valid_start, else created_at. */
  readonly at: number
  /** ts_valid_end. */
  readonly until: number | null
}

/**
 * The author of a memory's words; `name` is a name key. What looks like a speaker's label need not be one; an agent is
 * certain.
 */
export interface Author {
  readonly name: string
  readonly isAgent: boolean
}

/** A memory that may answer the query: its row in Postgres, never the index's copy. Times are Unix milliseconds. */
export interface Candidate {
  readonly id: string
  readonly memoryType: MemoryType
  readonly status: MemoryStatus
  readonly weight: number
  readonly runId: string | null
  readonly createdAt: number
  readonly recallCount: number
  /** Evidence of the entities that the query names and the memory is linked to (`entityEvidence`). */
  readonly entities: number
  /** 0..1: greater than 0 when it shares a rare entity with a memory of an entity that the query names. */
  readonly hop: number
  /** Ids of the neighbours in the run, in the order of `NEIGHBOUR_OFFSETS` (pool.ts); null at a place without one. An empty list for a memory without neighbours. */
  readonly neighbours: readonly (string | null)[]
  readonly text: AnalysedText
}

/** A content word of the query, which its answer is expected to share. */
export interface QueryWord {
  readonly word: string
  readonly terms: TermGroup
  /** Its pieces; empty for a word that the table of pieces does not know: it is matched by its terms, exactly. */
  readonly pieces: Uint16Array
}

/** A recall's query, with what is known of it once its candidates are. */
export interface AnalysedQuery extends Pick<RecallQuery, 'groups' | 'times' | 'zone' | 'isTemporalQuestion'> {
  /** Null when the embedder is unavailable or knows nothing of the query. */
  readonly vector: Float32Array | null
  readonly words: readonly QueryWord[]
  /** Name key of the one known author that the query names. */
  readonly author: string | null
}

/** Similarity of word pieces; see `PieceSpace` (models/piece-space.ts). */
export interface PieceSimilarity {
  /** Returns the similarity of the piece and each of the others: 0..1. */
  similaritiesTo(piece: number, others: Uint16Array): Float32Array
}

/** Counts for the rarity of terms, over what the caller may see: the index's, and no less than those of the candidates (`poolStatistics`). */
export interface TermStatistics {
  readonly documents: number
  readonly averageLength: number
  readonly frequency: ReadonlyMap<string, number>
}

/**
 * The way in which a candidate was found: by a leg of the index, by a hop over an entity that it shares, in the pending
 * tail, among the newest, as a neighbour of another in its run, or as what superseded another.
 */
export type CandidateSource = 'vector' | 'keyword' | 'entity' | 'hop' | 'pending' | 'recent' | 'context' | 'successor'

/** The factors of a score. The score is the product of all but vec_sim and fts_score. */
export interface ScoreParts {
  readonly vec_sim: number
  readonly fts_score: number
  readonly base: number
  readonly context_boost: number
  readonly freshness: number
  readonly entity_boost: number
  readonly recall_boost: number
  readonly temporal_boost: number
  readonly status_penalty: number
  /** Present when the second stage read the memory. */
  readonly rerank_boost?: number
  /** Present when the memory has the place of a better ranked one about the same thing (domain/answers). */
  readonly chain_boost?: number
}

/** The second stage's result for a memory: relevance 0..1, and its rank before and after, from 1. */
export interface SecondStage {
  readonly relevance: number
  readonly from: number
  readonly to: number
}

/** Evidence for a memory, each kind roughly 0..1, but date up to 1.5 and entity up to 3 (README.md), under the names of their weights. */
export interface Evidence {
  readonly softCoverage: number
  readonly informativeness: number
  readonly run: number
  readonly date: number
  readonly time: number
  readonly meaning: number
  readonly author: number
  readonly coverage: number
  readonly keyword: number
  readonly entity: number
  readonly hop: number
}

export interface RankedMemory {
  readonly candidate: Candidate
  readonly score: number
  /**
   * 0..1, comparable between queries: the cosine, or the share of the query's rarity that the text's terms cover if
   * that is greater.
   */
  readonly similarity: number
  readonly parts: ScoreParts
  readonly evidence: Evidence
  readonly secondStage?: SecondStage
}
