const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2})(?::?(\d{2}))?$/i
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the Unix milliseconds of an ISO 8601 date and time with an offset or `Z`, on a day that exists, in the years 1 to 9999 UTC; null
 * for any other text. Seconds may be missing, and so may the colon or the minutes of the offset: `2026-11-01T00:00+0100` names one instant.
 * A text without an offset names a different one in every zone.
 */
export function parseInstant(text: string): number | null {
  return parseOffsetInstant(text)?.instant ?? null
}

/** Does what `parseInstant` does, and returns the offset from UTC in milliseconds as well. */
export function parseOffsetInstant(text: string): { readonly instant: number; readonly offset: number } | null {
  const [, date, time, seconds = ':00', hours, minutes] = INSTANT.exec(text) ?? []
  if (date === undefined || (/z/i.test(hours!) && minutes !== undefined)) return null
  const offset = /z/i.test(hours!) ? '+00:00' : `${hours}:${minutes ?? '00'}`
  const instant = Date.parse(`${date}T${time}${seconds}${offset}`)
  if (!(instant >= FIRST && instant <= LAST && existsOnCalendar(date))) return null
  return { instant, offset: -Date.parse(`1970-01-01T00:00${offset}`) }
}

/** Date.parse rolls 30 February over into March. */
function existsOnCalendar(date: string): boolean {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}
