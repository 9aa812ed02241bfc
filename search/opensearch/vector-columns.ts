import { createHash } from 'node:crypto'
import { sixDecimals, usableVector } from '../vectors.js'

/** The columns of a document's vector. */
export interface VectorColumns {
  readonly vector: readonly number[]
  /** Present where `vector` is a placeholder, which no search finds. */
  readonly lacks_vector?: true
}

/**
 * Returns the columns of a document's vector, or of a placeholder for one that has none. Every document has a vector because Lucene would
 * otherwise visit each row that passes the filter of a `knn` query, to look whether it has one, at every search; where all have one it
 * takes the filter from its cache as it is.
 */
export function vectorColumns(vector: Float32Array | null, key: string, dimensions: number): VectorColumns {
  const usable = usableVector(vector)
  if (usable !== null) return { vector: Array.from(usable, sixDecimals) }
  return { vector: placeholder(key, dimensions), lacks_vector: true }
}

/**
 * Returns a unit vector that depends on the key alone. Each document has another one: thousands of equal vectors would be a part of the
 * graph of neighbours that is hard to leave.
 */
function placeholder(key: string, dimensions: number): number[] {
  const bytes = createHash('shake256', { outputLength: 2 * dimensions })
    .update(key)
    .digest()
  const values = Array.from({ length: dimensions }, (_, i) => bytes.readInt16LE(2 * i) + 0.5)
  const length = Math.hypot(...values)
  return values.map((value) => sixDecimals(value / length))
}
