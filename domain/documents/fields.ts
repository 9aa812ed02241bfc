import { createHash } from 'node:crypto'
import { alternativesOf, type FilterValue, isScalar, type Scalar, unmatchableIn } from '../filter-values.js'
import type { DocumentData } from './document.js'

export interface Field {
  readonly key: string
  /** See `fieldValue`. */
  readonly value: string
}

/** Condition on a top-level key: it has one of these values, or a list with one of them as a member. */
export interface FieldCondition {
  readonly key: string
  readonly values: readonly Scalar[]
}

/** Scalar fields of one document, each of which is a row. */
const MOST_FIELDS = 256
/** Most bytes of a document's `data` as JSON. */
const MOST_BYTES = 256 * 1024
/** Length in code points: the key is part of an index row. */
const LONGEST_KEY = 200
/** Code points of a string that determine its order; longer strings are distinguished by their hash. */
const ORDERED_CHARACTERS = 128

/** Returns the top-level keys that have scalar values, sorted by key. */
export function fieldsOf(data: DocumentData): Field[] {
  return Object.entries(data)
    .filter((entry): entry is [string, Scalar] => isScalar(entry[1]))
    .map(([key, value]) => ({ key, value: fieldValue(value) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Returns a caller's filter on top-level keys as conditions that all must hold. */
export function conditionsOf(where: Readonly<Record<string, FilterValue>>): FieldCondition[] {
  return Object.entries(where).map(([key, value]) => ({ key, values: [...new Set(alternativesOf(value))] }))
}

/** Returns a key of the filter that no document can match, and why; null when all can be matched. */
export function unmatchableKey(where: Readonly<Record<string, FilterValue>>): { key: string; reason: string } | null {
  const long = Object.keys(where).find(isTooLong)
  if (long !== undefined)
    return { key: long, reason: `top-level keys of \`data\` have at most ${LONGEST_KEY} characters` }
  const large = unmatchableIn(where, MOST_BYTES)
  return large === null ? null : { key: large, reason: '`data` has at most 256 KiB as JSON' }
}

/** Returns why some keys of this data could not be filtered on, or null when all can. */
export function fieldsFault(data: DocumentData): string | null {
  const keys = Object.keys(data)
  if (keys.some(isTooLong)) return `Top-level keys have at most ${LONGEST_KEY} characters.`
  const scalars = keys.filter((key) => isScalar(data[key]))
  return scalars.length > MOST_FIELDS
    ? `At most ${MOST_FIELDS} top-level keys may hold a string, number, boolean or null.`
    : null
}

function isTooLong(key: string): boolean {
  return key.length > LONGEST_KEY && [...key].length > LONGEST_KEY
}

/**
 * Encodes a value as text whose order by code points (Postgres' C collation) is the order of the values: null, false,
 * true, numbers, strings by code points. Only equal values have equal texts (-0 is 0). A string longer than
 * `ORDERED_CHARACTERS` is ordered by its beginning; its SHA-256 stands for the rest.
 */
export function fieldValue(value: Scalar): string {
  if (value === null) return '0'
  if (typeof value === 'boolean') return value ? '11' : '10'
  if (typeof value === 'number') return `2${orderedNumber(value)}`
  if (value.length <= ORDERED_CHARACTERS) return `3${value}`
  const characters = [...value]
  if (characters.length <= ORDERED_CHARACTERS) return `3${value}`
  // Longer than any value that is stored whole, so it equals none of them.
  return `3${characters.slice(0, ORDERED_CHARACTERS).join('')}${createHash('sha256').update(value).digest('hex')}`
}

/**
 * Returns the number's 64 bits in hex, transformed to sort as the numbers do (sign bit first, negative numbers
 * inverted).
 */
function orderedNumber(value: number): string {
  const bits = Buffer.alloc(8)
  bits.writeDoubleBE(value === 0 ? 0 : value)
  const unsigned = bits.readBigUInt64BE()
  const isNegative = unsigned >> 63n === 1n
  bits.writeBigUInt64BE(isNegative ? BigInt.asUintN(64, ~unsigned) : unsigned | (1n << 63n))
  return bits.toString('hex')
}
