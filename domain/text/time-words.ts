import { casual, Chrono, type ParsedResult } from 'chrono-node'

/** Where in time a text points, in UTC: what it names of a date (months from 1), or a span of Unix milliseconds. */
export type TimeReference =
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number | null; readonly day: number | null }
  | { readonly kind: 'span'; readonly start: number; readonly end: number }

/** Times are looked for in this much of a text. */
const LONGEST_READ = 500
const DAY_MS = 86_400_000
const YEAR = /(?<![\d.:/-])(?:19|20)\d\d(?![\d:/-]|\.\d)/g

/**
 * Without its parsers of amounts of time ("2h 30 min ago"): those backtrack without end (chrono-node 2.10: 85 characters take half a
 * minute).
 */
const calendar = new Chrono({
  parsers: casual.parsers.filter((parser) => !parser.constructor.name.startsWith('ENTimeUnit')),
  refiners: casual.refiners,
})

/** "yesterday", "last week", "in March", "on 7 May 2023", "two weeks ago": what a query says about time, as seen at `now`. */
export function timeReferences(text: string, now: number): TimeReference[] {
  const amounts: TimeReference[] = []
  const withoutAmounts = text
    .slice(0, LONGEST_READ)
    .replace(AGO, (all, count: string, unit: Unit) =>
      take(all, amountOf(count), (n) => amounts.push(ago(n, unit, now))),
    )
    .replace(LAST, (all, count: string, unit: Unit) =>
      take(all, amountOf(count), (n) => amounts.push(span(back(n, unit, now), now))),
    )
  const results = calendar.parse(withoutAmounts, { instant: new Date(now), timezone: 0 })
  const found = results.flatMap((result) => (isVerb(result, withoutAmounts) ? [] : referenceOf(result)))
  const rest = results.reduce((left, { text: part }) => left.replace(part, ' '), withoutAmounts)
  const years = [...rest.matchAll(YEAR)].map(([year]) => named(null, null, +year))
  return [...amounts, ...found, ...years]
}

type Unit = 'day' | 'week' | 'month' | 'year'
const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const OTHER_COUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, couple: 2, few: 3 }
const COUNT = `(\\d{1,3}|${[...COUNTS, ...Object.keys(OTHER_COUNTS)].join('|')})(?: of)?`
const AGO = new RegExp(`\\b${COUNT} (day|week|month|year)s? ago\\b`, 'gi')
const LAST = new RegExp(`\\b(?:last|past) ${COUNT} (day|week|month|year)s\\b`, 'gi')

function amountOf(text: string): number {
  const count = text.toLowerCase()
  return OTHER_COUNTS[count] ?? (COUNTS.includes(count) ? COUNTS.indexOf(count) : +count)
}

function take(all: string, count: number, use: (count: number) => void): string {
  use(count)
  return ' '.repeat(all.length)
}

/** As exact as it is said: two months ago is a month. */
function ago(count: number, unit: string, now: number): TimeReference {
  const at = back(count, unit, now)
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  switch (unit.toLowerCase()) {
    case 'day':
      return named(date.getUTCDate(), month, year)
    case 'week':
      return weekOf(at)
    case 'month':
      return named(null, month, year)
    default:
      return named(null, null, year)
  }
}

/** The beginning of the day that lies so far back. */
function back(count: number, unit: string, now: number): number {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  switch (unit.toLowerCase()) {
    case 'day':
      return Date.UTC(year, month, day - count)
    case 'week':
      return Date.UTC(year, month, day - 7 * count)
    case 'month':
      return Date.UTC(year, month - count, Math.min(day, new Date(Date.UTC(year, month - count + 1, 0)).getUTCDate()))
    default:
      return Date.UTC(year - count, month, day)
  }
}

function referenceOf({ start, end, text }: ParsedResult): TimeReference[] {
  // Dates of JavaScript take the years 0 to 99 for those of 1900.
  if (start.get('year')! < 1000) return []
  const at = Date.UTC(start.get('year')!, start.get('month')! - 1, start.get('day')!)
  if (end) return [span(at, Date.UTC(end.get('year')!, end.get('month')! - 1, end.get('day')!) + DAY_MS)]
  if (start.isCertain('day') || start.isCertain('weekday')) {
    if (/\bweekend\b/i.test(text)) return [weekendOf(at)]
    if (/\bweeks?\b/i.test(text)) return [weekOf(at)]
    if (!start.isCertain('year') && start.isCertain('day')) return [named(start.get('day'), start.get('month'), null)]
    return [named(start.get('day'), start.get('month'), start.get('year'))]
  }
  if (start.isCertain('month'))
    return [named(null, start.get('month'), start.isCertain('year') ? start.get('year') : null)]
  if (start.isCertain('year')) return [named(null, null, start.get('year'))]
  // A time of day alone points nowhere.
  return []
}

/** "may" and "march", written small and without a day, a year or a word that goes before months. */
function isVerb({ text, index }: ParsedResult, read: string): boolean {
  return VERB.test(text) && !BEFORE_MONTH.test(read.slice(0, index))
}

const VERB = /^(?:may|march)\b\D*$/
const BEFORE_MONTH = /\b(?:after|before|by|during|in|last|next|of|since|this|until)\s+$/i

function span(start: number, end: number): TimeReference {
  return { kind: 'span', start, end }
}

function named(day: number | null, month: number | null, year: number | null): TimeReference {
  return { kind: 'date', day, month, year }
}

/** Of a Saturday or a Sunday. */
function weekendOf(at: number): TimeReference {
  const saturday = at - ((new Date(at).getUTCDay() + 1) % 7) * DAY_MS
  return span(saturday, saturday + 2 * DAY_MS)
}

/** From Monday to Sunday. */
function weekOf(at: number): TimeReference {
  const monday = at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS
  return span(monday, monday + 7 * DAY_MS)
}

const TIME_WORDS = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|night|week|weekend|month|year|
  monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|
  november|december|\\d{4}|\\d+(?:st|nd|rd|th))\\b`.replace(/\s+/g, ''),
  'i',
)

/** Whether a text says when something is or was. */
export function tellsTime(text: string): boolean {
  return TIME_WORDS.test(text)
}
