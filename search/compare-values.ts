import { usableVector } from './vectors.js'

/**
 * Returns true for vectors that point the same way. OpenSearch stores six decimals, and a model may embed one text a
 * little differently the second time.
 */
export function isSameVector(expected: Float32Array | null, stored: ArrayLike<number> | null): boolean {
  const usable = usableVector(expected)
  if (usable === null || stored === null) return usable === null && stored === null
  if (usable.length !== stored.length) return false
  let [product, ofUsable, ofStored] = [0, 0, 0]
  for (let i = 0; i < usable.length; i++) {
    product += usable[i]! * stored[i]!
    ofUsable += usable[i]! ** 2
    ofStored += stored[i]! ** 2
  }
  return product >= LEAST_COSINE * Math.sqrt(ofUsable * ofStored)
}

const LEAST_COSINE = 0.9999

/** Returns true when both have the same values, whatever their order and repetitions. */
export function isSameSet(expected: readonly string[], stored: readonly string[]): boolean {
  const [one, other] = [new Set(expected), new Set(stored)]
  return one.size === other.size && [...one].every((value) => other.has(value))
}
