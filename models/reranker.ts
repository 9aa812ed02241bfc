import type { ModelHealth } from './call-lanes.js'

/** Reads a query and a text together, which tells more than two vectors and costs far more: for a few texts at the top. */
export interface Reranker {
  /** Names the model. */
  readonly id: string
  /** True when another service is waited for, and not this process. */
  readonly remote: boolean
  /**
   * How much each text says to the query, 0 to 1, in the order of the texts. Throws `UnavailableError` when the model is
   * away, does not take them, or is later than its deadline.
   */
  rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>
  health(): ModelHealth
  close(): Promise<void>
}

/** Of an unbounded score of relevance, 0 to 1 in the same order. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}
