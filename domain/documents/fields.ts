import { alternativesOf, fieldValue, type FilterValue, isScalar, type Scalar, unmatchableIn } from '../filter-values.js'
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
