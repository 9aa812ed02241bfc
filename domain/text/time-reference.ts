/**
 * A time that a text refers to, in UTC: the named parts of a date (months from 1), or a span of Unix milliseconds,
 * `start` included and `end` not. A span that is open on one side ("since March") begins at -Infinity or ends at
 * Infinity.
 */
export type TimeReference =
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number | null; readonly day: number | null }
  | Span

export interface Span {
  readonly kind: 'span'
  readonly start: number
  readonly end: number
}

export const DAY_MS = 86_400_000

export function span(start: number, end: number): Span {
  return { kind: 'span', start, end }
}

export function partialDate(day: number | null, month: number | null, year: number | null): TimeReference {
  return { kind: 'date', day, month, year }
}

/**
 * Returns the whole days from first to last, both included; months count from 1, and days beyond a month's end continue
 * into the next.
 */
export function daysOf(year: number, month: number, first: number, last: number): Span {
  return span(Date.UTC(year, month - 1, first), Date.UTC(year, month - 1, last + 1))
}

export function monthsOf(year: number, first: number, count: number): Span {
  return span(Date.UTC(year, first - 1, 1), Date.UTC(year, first - 1 + count, 1))
}

/** Returns the week of an instant, Monday to Sunday. */
export function weekOf(at: number): Span {
  const monday = dayOf(at) - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS
  return span(monday, monday + 7 * DAY_MS)
}

/** Returns the Saturday and Sunday of the week of an instant. */
export function weekendOf(at: number): Span {
  const { end } = weekOf(at)
  return span(end - 2 * DAY_MS, end)
}

/** Returns an ISO 8601 week by its number: the first week contains 4 January. Null when the year has no such week. */
export function numberedWeek(week: number, year: number): Span | null {
  const { start } = weekOf(Date.UTC(year, 0, 4))
  const found = weekOf(start + 7 * (week - 1) * DAY_MS)
  return week >= 1 && found.start < weekOf(Date.UTC(year + 1, 0, 4)).start ? found : null
}

/** Returns the parts of an instant's date, months from 1. */
export function datePartsOf(at: number): { year: number; month: number; day: number } {
  const date = new Date(at)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Returns the number of days of a month; the months of other years continue those of this one. */
export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Returns the day of an instant as YYYY-MM-DD, in UTC. */
export function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Returns the beginning of the instant's day. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/**
 * Returns the whole span that a time names; without a year, the latest that has begun at `now`, since people remember
 * more than they plan. Null when neither a year nor a month is named.
 */
export function extentOf(time: TimeReference, now: number): Span | null {
  if (time.kind === 'span') return time
  const { year, month, day } = time
  const of = (year: number) =>
    month === null ? monthsOf(year, 1, 12) : day === null ? monthsOf(year, month, 1) : daysOf(year, month, day, day)
  if (year !== null) return of(year)
  return month === null ? null : latestBegun(of, now)
}

/** Returns the latest occurrence that has begun of something that recurs every year. */
export function latestBegun(of: (year: number) => Span, now: number): Span {
  const year = new Date(now).getUTCFullYear()
  const next = [year, year - 1].map(of).find(({ start }) => start <= now)
  return next ?? of(year - 2)
}
