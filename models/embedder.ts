import type { ModelHealth } from './call-lanes.js'

/** The purpose of an embedding: models trained with separate prompts treat questions and passages differently. */
export type EmbeddingPurpose = 'query' | 'passage'

/**
 * Converts texts to unit vectors. A zero vector means that the model knows nothing of the text; it must match nothing.
 * Throws `UnavailableError` when the model is unavailable or late; an answer is never partial.
 */
export interface Embedder {
  /** Identifies the model; every stored vector carries it, and there is one index per id. */
  readonly id: string
  readonly dimensions: number
  /** About how many languages the model knows; undefined for a model that is not built in. */
  readonly languages?: number
  /** Codes of these languages. Some are known only a little, and single words of others too. */
  readonly languageCodes?: readonly string[]
  /**
   * True when embedding takes microseconds in this process, so that writes and recalls of the pending tail may embed
   * inline.
   */
  readonly inline: boolean
  /** True when another service computes the vectors. */
  readonly remote: boolean
  /** Cosine from which two passages are near duplicates by this model. */
  readonly nearDuplicateCosine: number
  embed(texts: readonly string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>
  health(): ModelHealth
  close(): Promise<void>
}
