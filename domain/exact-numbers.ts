/** The kinds of loss when a number in a caller's JSON is stored. */
export type NumberLoss = 'overflow' | 'underflow' | 'digits'

/**
 * Returns what a JSON number loses when it is read as an IEEE double and written again, or null when it loses nothing.
 * An integer, however it is written (12345678901234567890.0, 1e20), must come back as the same integer:
 * 9007199254740993 and 1152921504606846976 (2^60, which a double represents but JSON writes as 1152921504606847000) do
 * not, 6.02214076e23 does. Of other decimals, only overflow and underflow count as a loss: 0.1 is what everybody takes
 * for 0.1. `token` must be a number by JSON's grammar. Linear in its length.
 */
export function numberLossOf(token: string): NumberLoss | null {
  const value = Number(token)
  if (!Number.isFinite(value)) return 'overflow'
  const given = String(value)
  if (given === token) return null
  const written = decimalOf(token)
  if (value === 0) return written.digits === '' ? null : 'underflow'
  if (written.exponent < 0) return null
  const kept = decimalOf(given)
  return written.digits === kept.digits && written.exponent === kept.exponent ? null : 'digits'
}

/** Returns the number without its sign as `digits` × 10^`exponent`, with no zero at either end of the digits. */
function decimalOf(number: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa, power = '0'] = number.replace(/^-/, '').toLowerCase().split('e') as [string, string?]
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?]
  const all = whole + fraction
  let start = 0
  while (all.charCodeAt(start) === 0x30) start++
  let end = all.length
  while (end > start && all.charCodeAt(end - 1) === 0x30) end--
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) }
}
