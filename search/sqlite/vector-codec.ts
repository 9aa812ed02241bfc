/**
 * Encodes vectors as two bits a dimension, after a fixed random rotation: the sign, and whether the value is large. The
 * rotation spreads every vector evenly over the dimensions, so that one pair of levels suits all of them and nothing is
 * learnt from the data (RaBitQ and TurboQuant describe the family). Changing anything here changes the file's format:
 * increase `SCHEMA_VERSION`.
 */
export interface VectorCodec {
  readonly dimensions: number
  /** Words of 32 bits in each of a code's two planes. */
  readonly words: number
  /** Error of an estimate, as a multiple of that by a code of 256 dimensions: it falls with the root of their number. */
  readonly error: number
  /** Returns the plane of the signs, then that of the magnitudes. */
  encode(vector: Float32Array): Uint32Array
  query(vector: Float32Array): CodeQuery
}

/** A query that codes are compared with (nearest-codes.ts). */
export interface CodeQuery {
  /** The plane of the query's own signs: the number of signs that differ is a fast, rough distance. */
  readonly signs: Uint32Array
  /**
   * Contributions of every four dimensions, by the 256 combinations of their signs and magnitudes (upper half),
   * to the estimated inner product, of which only the order counts.
   */
  readonly sums: Float32Array
}

/** The quantiser of two bits with the least squared error for a normal distribution (Lloyd and Max), in deviations. */
const THRESHOLD = 0.9816
const [SMALL, LARGE] = [0.4528, 1.51]
const ROUNDS = 4
const SEED = 1

export function createVectorCodec(dimensions: number): VectorCodec {
  const words = Math.ceil(dimensions / 32)
  const flips = Array.from({ length: ROUNDS }, (_, round) => randomSigns(dimensions, SEED + round))

  function codeOf(rotated: Float32Array): Uint32Array {
    const squares = rotated.reduce((sum, value) => sum + value * value, 0)
    const threshold = THRESHOLD * Math.sqrt(squares / dimensions)
    const code = new Uint32Array(2 * words)
    for (let i = 0; i < dimensions; i++) {
      const bit = 1 << (i & 31)
      if (rotated[i]! >= 0) code[i >> 5]! |= bit
      if (Math.abs(rotated[i]!) > threshold) code[words + (i >> 5)]! |= bit
    }
    return code
  }

  function query(vector: Float32Array): CodeQuery {
    if (vector.length !== dimensions) throw new RangeError(`a vector of ${vector.length} instead of ${dimensions}`)
    const rotated = rotate(vector, flips)
    return { signs: codeOf(rotated).subarray(0, words), sums: sumsOfFour(rotated, words) }
  }

  return {
    dimensions,
    words,
    error: Math.sqrt(256 / dimensions),
    encode: (vector) => codeOf(rotate(vector, flips)),
    query,
  }
}

function sumsOfFour(rotated: Float32Array, words: number): Float32Array {
  const sums = new Float32Array(words * 8 * 256)
  const levels = new Float32Array(16)
  for (let first = 0, table = 0; table < sums.length; first += 4, table += 256) {
    for (let i = 0; i < 4; i++) {
      const value = rotated[first + i] ?? 0
      levels.set([-SMALL * value, SMALL * value, -LARGE * value, LARGE * value], i * 4)
    }
    for (let bits = 0; bits < 256; bits++) {
      let sum = 0
      for (let i = 0; i < 4; i++) sum += levels[i * 4 + ((bits >> i) & 1) + ((bits >> (3 + i)) & 2)]!
      sums[table + bits] = sum
    }
  }
  return sums
}

/**
 * Multiplies by random signs and a Hadamard matrix, in turn over the first and the last dimensions where their number
 * is no power of two.
 */
function rotate(vector: Float32Array, flips: readonly Float32Array[]): Float32Array {
  const rotated = Float32Array.from(vector)
  const span = 2 ** Math.floor(Math.log2(rotated.length))
  for (const [round, signs] of flips.entries()) {
    for (let i = 0; i < rotated.length; i++) rotated[i]! *= signs[i]!
    transform(rotated.subarray(round % 2 === 0 ? 0 : rotated.length - span).subarray(0, span))
  }
  return rotated
}

/** Transforms in place by the Hadamard matrix, scaled to keep the length; the number of values is a power of two. */
function transform(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const [a, b] = [values[i]!, values[i + half]!]
        values[i] = a + b
        values[i + half] = a - b
      }
    }
  }
  const scale = 1 / Math.sqrt(values.length)
  for (let i = 0; i < values.length; i++) values[i]! *= scale
}

/** Returns 1 or -1 for each dimension, the same for the same seed (xorshift). */
function randomSigns(count: number, seed: number): Float32Array {
  let state = seed * 0x9e3779b9
  return Float32Array.from({ length: count }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0x10000 ? -1 : 1
  })
}
