/**
 * A vector in a byte for each dimension: value i is `scale` · `bytes[i]`.
 */
export interface ShortVector {
  readonly bytes: Int8Array
  readonly scale: number
}

const MOST = 127

/** Rounds a vector of finite values. */
export function shortVector(vector: Float32Array): ShortVector {
  let greatest = 0
  for (const value of vector) greatest = Math.max(greatest, Math.abs(value))
  const step = Math.fround(greatest / MOST) || 1
  const bytes = Int8Array.from(vector, (value) => Math.round(value / step))
  // The length stays that of the vector, so that a text is entirely similar to itself.
  let [squares, rounded] = [0, 0]
  for (const [i, value] of vector.entries()) {
    squares += value * value
    rounded += bytes[i]! * bytes[i]!
  }
  return { bytes, scale: rounded === 0 ? 0 : Math.fround(Math.sqrt(squares / rounded)) }
}

/** Returns the inner product of a vector and a rounded one. */
export function shortDot(a: Float32Array, { bytes, scale }: ShortVector): number {
  return scale * sumOfProducts(a, bytes)
}

/** Returns the inner product of two rounded vectors. */
export function shortDots(a: ShortVector, b: ShortVector): number {
  return a.scale * b.scale * sumOfIntegerProducts(a.bytes, b.bytes)
}

/** Adds up four sums, so that the processor need not wait for one addition before the next. */
function sumOfProducts(a: Float32Array, b: Int8Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = b.length - (b.length % 4)
  for (let i = 0; i < whole; i += 4) {
    s0 += a[i]! * b[i]!
    s1 += a[i + 1]! * b[i + 1]!
    s2 += a[i + 2]! * b[i + 2]!
    s3 += a[i + 3]! * b[i + 3]!
  }
  for (let i = whole; i < b.length; i++) s0 += a[i]! * b[i]!
  return s0 + s1 + s2 + s3
}

/** Adds up integers: processors multiply them faster than floats, and no sum of bytes' products is out of range. */
function sumOfIntegerProducts(a: Int8Array, b: Int8Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = b.length - (b.length % 4)
  for (let i = 0; i < whole; i += 4) {
    s0 = (s0 + a[i]! * b[i]!) | 0
    s1 = (s1 + a[i + 1]! * b[i + 1]!) | 0
    s2 = (s2 + a[i + 2]! * b[i + 2]!) | 0
    s3 = (s3 + a[i + 3]! * b[i + 3]!) | 0
  }
  for (let i = whole; i < b.length; i++) s0 = (s0 + a[i]! * b[i]!) | 0
  return s0 + s1 + s2 + s3
}

/**
 * Returns the inner product, which is the cosine for unit vectors. Four separate sums, so that the processor need not
 * wait for one addition before the next.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = a.length - (a.length % 4)
  for (let i = 0; i < whole; i += 4) {
    s0 += a[i]! * b[i]!
    s1 += a[i + 1]! * b[i + 1]!
    s2 += a[i + 2]! * b[i + 2]!
    s3 += a[i + 3]! * b[i + 3]!
  }
  for (let i = whole; i < a.length; i++) s0 += a[i]! * b[i]!
  return s0 + s1 + s2 + s3
}
