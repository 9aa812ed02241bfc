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
