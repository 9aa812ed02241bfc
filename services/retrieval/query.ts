import type { SearchFilter } from '../../search/search-index.js'

/** A query, parsed and analysed once, before anything is looked up: what the searches of all corpora have in common. */
export interface Query {
  readonly text: string
  /** Distinct terms of the text, which the scoring counts. */
  readonly terms: readonly string[]
  /** Terms that the keyword leg searches for. */
  readonly keywordTerms: readonly string[]
  /** The filter of the index. PostgreSQL applies its own to every row that is loaded. */
  readonly searchFilter: SearchFilter
  /** Results to return at most. */
  readonly topK: number
}

const EXPIRY_STEP_MS = 60_000

/**
 * Returns the instant that the index compares expiry with: the minute's beginning, so that an engine can cache its filter.
 * A row that expired since is left out when it is loaded.
 */
export function expiryInstant(now: number): number {
  return Math.floor(now / EXPIRY_STEP_MS) * EXPIRY_STEP_MS
}
