/** Equals the maximum size of a document's data in bytes. */
const MOST_DIGITS = 262_144

/**
 * Returns why an object's numbers cannot be stored, or null. Postgres returns a jsonb number with all of its digits:
 * 1e308, six bytes of a request, comes back as 309, so that a document of the maximum size would be read as 12 MB, and
 * metadata of 16 KiB as 840 KB. Only numbers that JSON writes with an exponent count, by the exponent's size. Not
 * recursive.
 */
export function digitsFault(object: Readonly<Record<string, unknown>>): string | null {
  let digits = 0
  const left: unknown[] = [object]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'number') digits += digitsOfExponent(value)
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) left.push(inner)
  }
  return digits > MOST_DIGITS
    ? `Written out, numbers with an exponent, such as 1e300, may have at most ${MOST_DIGITS} digits in total.`
    : null
}

function digitsOfExponent(value: number): number {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return 0
  return Math.abs(Math.floor(Math.log10(size)))
}
