function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

export function lengthOf(vector: Float32Array): number {
  return Math.sqrt(dot(vector, vector))
}

/** Returns the cosine of two vectors that are not zeros. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return dot(a, b) / (lengthOf(a) * lengthOf(b))
}
