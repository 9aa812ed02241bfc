import type { Bound } from './expression.js'

/** A condition that both engines evaluate within each leg. It is true or false of every row. */
export type IndexCondition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly IndexCondition[] }
  | { readonly kind: 'not'; readonly of: IndexCondition }
  /** The row has one of these terms among its `metadataTerms`. */
  | { readonly kind: 'terms'; readonly anyOf: readonly string[] }
  /** The row has a term between these, in the order of their bytes. */
  | { readonly kind: 'terms between'; readonly from: TermBound; readonly to: TermBound }
  | { readonly kind: 'column'; readonly column: IndexedNameColumn; readonly anyOf: readonly string[] }
  | { readonly kind: 'times'; readonly column: IndexedTimeColumn; readonly from?: Bound; readonly to?: Bound }
  /** The column is not empty. */
  | { readonly kind: 'has'; readonly column: IndexedNameColumn | IndexedTimeColumn }
  | { readonly kind: 'entities'; readonly anyOf: readonly string[] }
  | { readonly kind: 'has entity' }
  | { readonly kind: 'valid at'; readonly instant: number }

interface TermBound {
  readonly term: string
  readonly includes: boolean
}

export type IndexedNameColumn = 'memory_type' | 'status' | 'agent_id' | 'fleet_id' | 'run_id'
export type IndexedTimeColumn = 'created_at' | 'valid_start' | 'valid_end'
