import type { SearchFilter } from '../../search/search-index.js'

/** A query, parsed and analysed once, before anything is looked up: what the searches of all corpora have in common. */
export interface Query {
  readonly text: string
  /** Distinct terms of the text, which the scoring counts: those of `tellingTerms`. */
  readonly terms: readonly string[]
  /** Terms of a very long text that it is not answered by. */
  readonly leftOut: ReadonlySet<string>
  /** Terms that the keyword leg searches for. */
  readonly keywordTerms: readonly string[]
  /** The filter of the index, at the present instant. PostgreSQL applies its own to every row that is loaded. */
  readonly searchFilter: SearchFilter
  /** Results to return at most. */
  readonly topK: number
}
