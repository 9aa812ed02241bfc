/** Says what this process has the language model do in the background. */
export interface EnrichmentWork {
  /** True when this process queues what it writes for the model: memories, and flagged words of skills. */
  readonly enabled: boolean
  /** A tenant's daily token budget; null for no limit. */
  readonly tokensPerDay: number | null
}
