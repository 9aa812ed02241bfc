/** Equals the bytes that the data of a document may have. */
const MOST_DIGITS = 262_144

/**
 * Returns why an object of these numbers cannot be kept; null when it can. Postgres gives a number of jsonb back with all of its digits: 1e308,
 * six bytes of a request, as 309, so that a document of the greatest size would be read as one of 12 MB, and metadata of 16 KiB as 840 KB. Only
 * numbers that JSON writes with an exponent count, by what it stands for. Not recursive.
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
    ? `The exponents of its numbers, such as 1e300, stand for at most ${MOST_DIGITS} digits together.`
    : null
}

function digitsOfExponent(value: number): number {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return 0
  return Math.abs(Math.floor(Math.log10(size)))
}
