/**
 * Returns vectors at unit length from which what all of them have in common has been taken away: with it, texts of one
 * field would all be similar. It is taken from as many others, of which nothing is known, as `assumed`, so that few texts
 * keep theirs. Those without a vector, or equal to the mean, are null.
 */
export function centred(vectors: readonly (Float32Array | null)[], assumed: number): (Float32Array | null)[] {
  const known = vectors.filter((vector) => vector !== null)
  const [first] = known
  if (first === undefined) return vectors.map(() => null)
  const mean = new Float64Array(first.length)
  for (const vector of known) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / (known.length + assumed)
  return vectors.map((vector) => vector && atUnitLength(vector.map((value, i) => value - mean[i]!)))
}

/** Returns the mean direction of vectors; null without any. */
export function direction(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors
  if (first === undefined) return null
  const sum = new Float32Array(first.length)
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!
  return atUnitLength(sum)
}

function atUnitLength(vector: Float32Array): Float32Array | null {
  let squares = 0
  for (const value of vector) squares += value * value
  if (squares < 1e-12) return null
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}
