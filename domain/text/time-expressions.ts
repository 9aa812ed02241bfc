import { casual, Chrono, type ParsedResult } from 'chrono-node'
import { calendarWords, type TimeExpression } from './calendar-expressions.js'
import { DAY_MS, extentOf, partialDate, span, type TimeReference, weekOf } from './time-reference.js'

/** Characters of a text that are searched for times. */
const LONGEST_READ = 500
const YEAR = /(?<![\d.:/-])(?:19|20)\d\d(?![\d:/-]|\.\d)/g

/**
 * Excludes chrono's parsers of amounts of time ("2h 30 min ago"), which backtrack without bound (chrono-node 2.10: 85
 * characters take half a minute).
 */
const calendar = new Chrono({
  parsers: casual.parsers.filter((parser) => !parser.constructor.name.startsWith('ENTimeUnit')),
  refiners: casual.refiners,
})

/**
 * Returns the times that a query refers to, with relative ones resolved at `now`: "yesterday", "last week", "in March",
 * "on 7 May 2023", "two weeks ago", "Q3 2025", "since the summer".
 */
export function timeReferences(text: string, now: number): TimeReference[] {
  return timeExpressions(text, now).map(({ index, time }) => applyPreposition(time, text.slice(0, index), now))
}

/** Returns the named times without their prepositions: "before 7 May 2023" names the 7th of May. */
export function namedTimes(text: string, now: number): TimeReference[] {
  return timeExpressions(text, now).map(({ time }) => time)
}

function timeExpressions(text: string, now: number): TimeExpression<TimeReference>[] {
  const expressions: TimeExpression<TimeReference>[] = []
  const note = (text: string, index: number, time: TimeReference) => {
    expressions.push({ index, text, time })
    return ' '.repeat(text.length)
  }
  const read = text
    .slice(0, LONGEST_READ)
    .replace(TIME_AGO, (all, count: string, unit: Unit, index: number) =>
      note(all, index, timeAgo(amountOf(count), unit, now)),
    )
    .replace(LAST_PERIOD, (all, count: string, unit: Unit, index: number) =>
      note(all, index, span(startOfPastDay(amountOf(count), unit, now), now)),
    )
  expressions.push(...calendarWords(read, now))
  const unread = expressions.reduce((left, { index, text }) => blankOut(left, index, text.length), read)
  const results = calendar.parse(unread, { instant: new Date(now), timezone: 0 })
  for (const result of results) {
    if (isVerb(result, unread)) continue
    for (const time of referenceOf(result)) expressions.push({ index: result.index, text: result.text, time })
  }
  const rest = results.reduce((left, { index, text }) => blankOut(left, index, text.length), unread)
  for (const { 0: year, index } of rest.matchAll(YEAR)) note(year, index, partialDate(null, null, +year))
  return expressions
}

function blankOut(text: string, index: number, length: number): string {
  return text.slice(0, index) + ' '.repeat(length) + text.slice(index + length)
}

const PREPOSITION = /\b(after|before|by|prior to|since|till|until|up to|week of)(?: the)?(?: very)?\s+$/i

/** Applies the preposition before a time, which makes it the start or the end of the span that is meant. */
function applyPreposition(time: TimeReference, before: string, now: number): TimeReference {
  const preposition = PREPOSITION.exec(before)?.[1]?.toLowerCase()
  const extent = preposition === undefined ? null : extentOf(time, now)
  if (extent === null) return time
  switch (preposition) {
    case 'since':
      return span(extent.start, Infinity)
    case 'after':
      return span(extent.end, Infinity)
    case 'before':
    case 'prior to':
      return span(-Infinity, extent.start)
    case 'week of':
      return weekOf(extent.start)
    default:
      return span(-Infinity, extent.end)
  }
}

type Unit = 'day' | 'week' | 'month' | 'year'
const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const OTHER_COUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, couple: 2, few: 3 }
const COUNT = `(\\d{1,3}|${[...COUNTS, ...Object.keys(OTHER_COUNTS)].join('|')})(?: of)?`
const TIME_AGO = new RegExp(`\\b${COUNT} (day|week|month|year)s? ago\\b`, 'gi')
const LAST_PERIOD = new RegExp(`\\b(?:last|past) ${COUNT} (day|week|month|year)s\\b`, 'gi')

function amountOf(text: string): number {
  const count = text.toLowerCase()
  return OTHER_COUNTS[count] ?? (COUNTS.includes(count) ? COUNTS.indexOf(count) : +count)
}

/** Returns a time as precise as its unit: two months ago is a month. */
function timeAgo(count: number, unit: string, now: number): TimeReference {
  const at = startOfPastDay(count, unit, now)
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  switch (unit.toLowerCase()) {
    case 'day':
      return partialDate(date.getUTCDate(), month, year)
    case 'week':
      return weekOf(at)
    case 'month':
      return partialDate(null, month, year)
    default:
      return partialDate(null, null, year)
  }
}

/** Returns the beginning of the day that is so long ago. */
function startOfPastDay(count: number, unit: string, now: number): number {
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
  // JavaScript's Date takes the years 0 to 99 for those of 1900.
  if (start.get('year')! < 1000) return []
  const at = Date.UTC(start.get('year')!, start.get('month')! - 1, start.get('day')!)
  if (end) return [span(at, Date.UTC(end.get('year')!, end.get('month')! - 1, end.get('day')!) + DAY_MS)]
  if (start.isCertain('day') || start.isCertain('weekday')) {
    if (/\bweeks?\b/i.test(text)) return [weekOf(at)]
    if (!start.isCertain('year') && start.isCertain('day'))
      return [partialDate(start.get('day'), start.get('month'), null)]
    return [partialDate(start.get('day'), start.get('month'), start.get('year'))]
  }
  if (start.isCertain('month'))
    return [partialDate(null, start.get('month'), start.isCertain('year') ? start.get('year') : null)]
  if (start.isCertain('year')) return [partialDate(null, null, start.get('year'))]
  // A time of day alone refers to no date.
  return []
}

/**
 * Returns whether the result is the verb "may" or "march": in lower case and without a day, a year or a word that
 * precedes months.
 */
function isVerb({ text, index }: ParsedResult, read: string): boolean {
  return VERB.test(text) && !BEFORE_MONTH.test(read.slice(0, index))
}

const VERB = /^(?:may|march)\b\D*$/
const BEFORE_MONTH = /\b(?:after|before|by|during|in|last|next|of|since|this|until)\s+$/i

const TIME_WORDS = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|night|week|weekend|month|year|
  monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|
  november|december|(?:19|20)\\d\\d|\\d+(?:st|nd|rd|th))\\b`.replace(/\s+/g, ''),
  'i',
)

/** Returns whether a text says when something is or was. */
export function mentionsTime(text: string): boolean {
  return TIME_WORDS.test(text)
}
