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
