import type { IndexChange } from './search-index.js'

/** Returns null for what the vector leg must not see: no vector, or zeros (the model knew nothing of the text). */
export function usableVector(vector: Float32Array | null | undefined): Float32Array | null {
  return vector?.some((value) => value !== 0) === true ? vector : null
}

/** Returns why this change can never be indexed, or null. The reason names sizes, never content. */
export function refusalOf(change: IndexChange, dimensions: number): string | null {
  const vector = change.document?.vector ?? null
  if (vector === null) return null
  if (vector.length !== dimensions) return `vector has ${vector.length} dimensions, the index ${dimensions}`
  return vector.every(Number.isFinite) ? null : 'vector holds a value that is not finite'
}

/**
 * Rounds to half the digits of a float's double, which is far finer than a graph of nearest neighbours distinguishes: as
 * JSON it takes half as long to write and to read.
 */
export function sixDecimals(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
