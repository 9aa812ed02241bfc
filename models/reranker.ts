import type { ModelHealth } from './call-lanes.js'

/**
 * Reads a query and a text together, which is more accurate than comparing two vectors and far more expensive: for the
 * few best texts.
 */
export interface Reranker {
  /** Identifies the model. */
  readonly id: string
  /** True when another service computes the scores. */
  readonly remote: boolean
  /**
   * Returns each text's relevance to the query, 0 to 1, in the order of the texts. Throws `UnavailableError` when the
   * model is unavailable, rejects the texts, or exceeds its deadline.
   */
  rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>
  health(): ModelHealth
  close(): Promise<void>
}

/** Maps an unbounded relevance score to 0 to 1, in the same order. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}
