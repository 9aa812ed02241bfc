import type { ModelHealth } from './call-lanes.js'

/** What a text is embedded for: models trained with separate prompts treat questions and passages differently. */
export type EmbeddingPurpose = 'query' | 'passage'

/**
 * Turns texts into unit vectors. A vector of zeros means that the model knows nothing of the text; it must match nothing.
 * Throws `UnavailableError` when the model is away or late; an answer is whole or not at all.
 */
export interface Embedder {
  /** Names the model; every stored vector carries it, and there is one index per id. */
  readonly id: string
  readonly dimensions: number
  /** True when embedding costs microseconds in this process, so that a write and the pending tail may embed on the way. */
  readonly inline: boolean
  /** True when another service is waited for, and not this process. */
  readonly remote: boolean
  /** Cosine from which two passages are near duplicates by this model. */
  readonly nearDuplicateCosine: number
  embed(texts: readonly string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>
  health(): ModelHealth
  close(): Promise<void>
}
