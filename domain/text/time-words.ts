import { parse, type ParsedResult } from 'chrono-node'

/** Where in time a text points, in UTC: what it names of a date (months from 1), or a span of Unix milliseconds. */
export type TimeReference =
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number | null; readonly day: number | null }
  | { readonly kind: 'span'; readonly start: number; readonly end: number }

/** Times are looked for in this much of a text. */
const LONGEST_READ = 500
const DAY_MS = 86_400_000
const YEAR = /(?<![\d.:/-])(?:19|20)\d\d(?![\d:/-]|\.\d)/g

/** "yesterday", "last week", "in March", "on 7 May 2023", "two weeks ago": what a query says about time, as seen at `now`. */
export function timeReferences(text: string, now: number): TimeReference[] {
  const read = text.slice(0, LONGEST_READ)
  const results = parse(read, { instant: new Date(now), timezone: 0 })
  const found = results.flatMap((result) => (isVerb(result, read) ? [] : referenceOf(result, now)))
  const rest = results.reduce((left, { text: part }) => left.replace(part, ' '), read)
  const years = [...rest.matchAll(YEAR)].map(([year]): TimeReference => ({
    kind: 'date',
    year: +year,
    month: null,
    day: null,
  }))
  return [...found, ...years]
}

function referenceOf({ start, end, text }: ParsedResult, now: number): TimeReference[] {
  const at = Date.UTC(start.get('year')!, start.get('month')! - 1, start.get('day')!)
  if (end) return [span(at, Date.UTC(end.get('year')!, end.get('month')! - 1, end.get('day')!) + DAY_MS)]
  if (start.isCertain('day') || start.isCertain('weekday')) {
    if (SINCE.test(text)) return [span(at, now)]
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

/** "the last two days" is all the time since. */
const SINCE = /^(?:the )?(?:last|past) (?:\d+|[a-z]+) (?:day|week|month|year)s\b/i

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
