import type { Scalar } from '../filter-values.js'

/**
 * A caller's filter, parsed (`readFilter`). It is true or false of every row: a comparison with a value that is missing is false, so the `not` of it
 * is true.
 */
export type FilterExpression =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FilterExpression[] }
  | { readonly kind: 'not'; readonly of: FilterExpression }
  | FilterLeaf

export type FilterLeaf = AnyOf | Exists | Range | ValidAt

/** The field has one of these values, or a list with one of them as a member. */
export interface AnyOf {
  readonly kind: 'any of'
  readonly field: FilterField
  readonly values: readonly Scalar[]
}

/** The field has a value other than null. */
export interface Exists {
  readonly kind: 'exists'
  readonly field: FilterField
}

/** The field has a value within the bounds, or a list with one such member. Only values of this kind are compared. */
export interface Range {
  readonly kind: 'range'
  readonly field: FilterField
  readonly of: 'numbers' | 'times'
  readonly from?: Bound
  readonly to?: Bound
}

/** Times are Unix milliseconds. */
export interface Bound {
  readonly value: number
  readonly includes: boolean
}

/** The row's validity interval [start, end) contains the instant; an absent bound is open. */
export interface ValidAt {
  readonly kind: 'valid at'
  /** Unix milliseconds. */
  readonly instant: number
}

/** A top-level key of what callers wrote (`metadata`, or `data` of a document), or a column of the row by its name in the contract. */
export type FilterField = { readonly key: string } | { readonly column: FilterColumn }

export type FilterColumn = MemoryColumn | DocumentColumn

export type MemoryColumn = NameColumn | TimeColumn | 'tags' | 'entity_id'
export type DocumentColumn = 'doc_id' | 'fleet_id' | 'created_at' | 'updated_at'
export type NameColumn = 'memory_type' | 'status' | 'agent_id' | 'fleet_id' | 'run_id'
export type TimeColumn = 'created_at' | 'ts_valid_start' | 'ts_valid_end'

/** Returns the leaves of an expression. */
export function leavesOf(expression: FilterExpression): readonly FilterLeaf[] {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.flatMap(leavesOf)
    case 'not':
      return leavesOf(expression.of)
    default:
      return [expression]
  }
}
