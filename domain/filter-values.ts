import { createHash } from 'node:crypto'

/** A value that a filter compares: anything in JSON but lists and objects. */
export type Scalar = string | number | boolean | null

/** A filter's value of a key: the value that it has or that its list contains, or a list of such values. */
export type FilterValue = Scalar | readonly Scalar[]

export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Returns the values that a filter finds a key by: its value, or the members of its list, each once. */
export function foundBy(value: unknown): Scalar[] {
  if (isScalar(value)) return [value]
  return Array.isArray(value) ? [...new Set(value.filter(isScalar))] : []
}

/** Returns the values of which a filter asks for one. */
export function alternativesOf(value: FilterValue): readonly Scalar[] {
  return isScalar(value) ? [value] : value
}

/**
 * Returns the path of an entry that no object of at most `mostBytes` as JSON can match; null when there is none. Of a
 * list one member that can match is enough.
 */
export function unmatchableIn(filter: Readonly<Record<string, FilterValue>>, mostBytes: number): string | null {
  const fits = (key: string, value: Scalar) => Buffer.byteLength(JSON.stringify({ [key]: value })) <= mostBytes
  const found = Object.entries(filter).find(([key, value]) => !alternativesOf(value).some((one) => fits(key, one)))
  return found ? found[0] : null
}

/** Code points of a string that determine its order; longer strings are distinguished by their hash. */
const ORDERED_CHARACTERS = 128

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

/** Returns a time, in Unix milliseconds, as a text that no `fieldValue` equals and that sorts as the times do. */
export function timeValue(instant: number): string {
  return `4${orderedNumber(instant)}`
}
