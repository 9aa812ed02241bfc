import {
  DAY_MS,
  datePartsOf,
  dayOf,
  daysIn,
  daysOf,
  latestBegun,
  monthsOf,
  partialDate,
  type Span,
  type TimeReference,
  weekOf,
  weekendOf,
} from './time-reference.js'

const ONES = 'one two three four five six seven eight nine'
const COUNTS = [
  `zero ${ONES} ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`.split(' '),
  ONES.split(' ').map((one) => `twenty-${one}`),
  ['thirty', 'thirty-one'],
].flat()
const OTHER_COUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, couple: 2, few: 3 }
export const COUNT = `(?<count>\\d{1,3}|${[...COUNTS.toReversed(), ...Object.keys(OTHER_COUNTS)].join('|')})(?: of)?`

export function amountOf(count: string): number {
  return OTHER_COUNTS[count] ?? (COUNTS.includes(count) ? COUNTS.indexOf(count) : +count)
}

/** Returns a time as precise as its unit: two months ago is a month, and with a half as the next smaller one. */
export function timeAgo(count: number, unit: string, now: number): TimeReference {
  const isWhole = Number.isInteger(count)
  if (unit === 'year' && !isWhole) return timeAgo(12 * count, 'month', now)
  if (unit === 'month' && !isWhole) return weekOf(startOfPastDay(Math.floor(count), unit, now) - 15 * DAY_MS)
  const at = startOfPastDay(count, unit, now)
  if (unit === 'week') return weekOf(at)
  const { year, month, day } = datePartsOf(at)
  return partialDate(unit === 'day' ? day : null, unit === 'year' ? null : month, year)
}

/** Returns the beginning of the day that is so long ago; in a month that is too short, of its last day. */
export function startOfPastDay(count: number, unit: string, now: number): number {
  if (unit === 'day' || unit === 'week') return dayOf(now) - Math.floor(count * (unit === 'week' ? 7 : 1)) * DAY_MS
  const { year, month, day } = datePartsOf(now)
  const past = month - count * (unit === 'year' ? 12 : 1)
  return Date.UTC(year, past - 1, Math.min(day, daysIn(year, past)))
}

/** Years of which one has 53 weeks and has begun its last. */
const YEARS_WITH_ALL_WEEKS = 9

/** Returns the span in the named year ("2025", "last year"), else the latest that has begun. */
export function inYear(parsed: string | undefined, now: number, of: (year: number) => Span | null): Span | null {
  const { year } = datePartsOf(now)
  if (parsed === undefined) {
    const past = Array.from({ length: YEARS_WITH_ALL_WEEKS }, (_, ago) => of(year - ago))
    return past.find((one) => one !== null && one.start <= now) ?? null
  }
  return of(parsed.endsWith('year') ? year + stepOf(parsed.slice(0, -5)) : +parsed)
}

const STEPS: Readonly<Record<string, number>> = { 'before last': -2, this: 0, current: 0, next: 1, coming: 1 }

export function stepOf(which: string): number {
  return STEPS[which] ?? -1
}

/** Returns a week, weekend, month or quarter. A weekend without a word for which is over or today: recall looks back. */
export function relativePeriod(which: string | undefined, unit: string, now: number): TimeReference {
  return periodAt(which === undefined ? (weekendOf(now).start > now ? -1 : 0) : stepOf(which), unit, now)
}

/** Returns the day, week, weekend, month, quarter or year so many steps after the present one. */
export function periodAt(step: number, unit: string, now: number): TimeReference {
  if (unit === 'day') return timeAgo(-step, unit, now)
  if (unit === 'weekend') return weekendOf(now + 7 * step * DAY_MS)
  if (unit === 'week') return weekOf(now + 7 * step * DAY_MS)
  const { year, month } = datePartsOf(now)
  if (unit === 'quarter') return quarterOf(Math.ceil(month / 3) + step, year)
  if (unit === 'year') return partialDate(null, null, year + step)
  const first = datePartsOf(Date.UTC(year, month - 1 + step))
  return partialDate(null, first.month, first.year)
}

export function quarterOf(quarter: number, year: number): Span {
  return monthsOf(year, 3 * quarter - 2, 3)
}

const SEASONS: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 }

/** Returns three months of the northern hemisphere's year; a winter belongs to the year in which it begins. */
export function seasonOf(season: string, year: number): Span {
  return monthsOf(year, SEASONS[season]!, 3)
}

/** Returns the last season that is over, this one or else the next, or the next to begin; without a word for which, the latest that has begun. */
export function relativeSeason(which: string | undefined, season: string, now: number): Span {
  const { year } = datePartsOf(now)
  const all = [year - 2, year - 1, year, year + 1].map((of) => seasonOf(season, of))
  if (which === undefined) return all.findLast(({ start }) => start <= now)!
  const step = stepOf(which)
  if (step < 0) return all.findLast(({ end }) => end <= now)!
  return all.find(({ start, end }) => (step === 0 ? end : start) > now)!
}

/** Days of a month, and the first of four months of a year. */
const PARTS: readonly (readonly [words: RegExp, first: number, last: number, month?: number])[] = [
  [/early/, 1, 10, 1],
  [/beginning|start|first (?:days|week)/, 1, 7],
  [/first half/, 1, 15],
  [/middle/, 10, 21],
  [/mid/, 10, 21, 5],
  [/late/, 21, 31, 9],
  [/end|last (?:days|week)/, 24, 31],
  [/last half/, 16, 31],
]

/** Returns a part of a month, in the latest year that has begun if none is named, or of a year; null when a year has no such part. */
export function partOf(text: string, month: number | null, year: number | null, now: number): Span | null {
  const [, first, last, firstMonth] = PARTS.find(([words]) => words.test(text))!
  if (month === null) return year && firstMonth ? monthsOf(year, firstMonth, 4) : null
  const of = (year: number) => daysOf(year, month, first, Math.min(last, daysIn(year, month)))
  return year === null ? latestBegun(of, now) : of(year)
}
