import type { NumberLoss } from '../../domain/exact-numbers.js'
import type { FieldError } from '../errors.js'

/** Most values in a body without its items, and in each item: JSON.parse takes about 15 ms for as many objects. */
export const MAX_VALUES = 50_000
/** Most bytes of a body without its items, and of each item, where a route has no larger limit for a single resource. */
export const MAX_BYTES = 1_048_576

/** Most faults reported of a body without its items. */
export const MAX_FAULTS = 100
/** Most faults reported of an item: a response with 500 refused items has the faults of each. */
export const MAX_ITEM_FAULTS = 10
/** A part of the body that is counted and refused as a whole: the body without its items, or one item. */
export interface ScanUnit {
  readonly start: number
  /** Depth of its fields. */
  readonly depth: number
  readonly most: number
  values: number
  isTooDeep: boolean
  readonly faults: FieldError[]
}

export function newUnit(start: number, most: number, depth = 1): ScanUnit {
  return { start, depth, most, values: 0, isTooDeep: false, faults: [] }
}

export function tooLarge(what: string, most = MAX_BYTES): Omit<FieldError, 'loc'> {
  return { type: 'too_large', msg: `${what} may have at most ${most} bytes.`, ctx: { max_bytes: most } }
}

export const NUMBER_FAULTS: Readonly<Record<NumberLoss, Omit<FieldError, 'loc'>>> = {
  overflow: { type: 'finite_number', msg: 'Is a number too large to keep. Send it as a string.' },
  underflow: { type: 'nonzero_number', msg: 'Is a number too small to keep. Send it as a string.' },
  digits: { type: 'exact_number', msg: 'Is an integer that loses digits as a JSON number. Send it as a string.' },
}
