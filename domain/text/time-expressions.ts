import type { ParsedComponents, ParsedResult } from 'chrono-node'
import { calendar } from './calendar.js'
import { extentOf, latestBegun, partialDate, type Span, span, type TimeReference, weekOf } from './time-reference.js'

/** Characters of a text that are searched for times. */
const LONGEST_READ = 500

/**
 * Returns the times that a query refers to, with relative ones resolved at `now`: "yesterday", "last week", "in March",
 * "on 7 May 2023", "two weeks ago", "Q3 2025", "since the summer".
 */
export function timeReferences(text: string, now: number): TimeReference[] {
  return timeExpressions(text, now).map(({ before, time }) => applyPreposition(time, before, now))
}

/** Returns the named times without their prepositions: "before 7 May 2023" names the 7th of May. */
export function namedTimes(text: string, now: number): TimeReference[] {
  return timeExpressions(text, now).map(({ time }) => time)
}

interface TimeExpression {
  /** The text before it. */
  readonly before: string
  readonly time: TimeReference
}

function timeExpressions(text: string, now: number): TimeExpression[] {
  const read = text.slice(0, LONGEST_READ).replace(BETWEEN, '$1to ')
  return calendar.parse(read, { instant: new Date(now), timezone: 0 }).flatMap((result) => {
    const time = timeOf(result, now)
    return time === null ? [] : [{ before: read.slice(0, result.index), time }]
  })
}

/** Chrono reads "2 to 6 February" as one time. */
const BETWEEN = /\b(between\b.{1,40}?\b)and (?:the )?(?=\S)/gi

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

function timeOf({ start, end, text }: ParsedResult, now: number): TimeReference | null {
  const date = dateOf(start)
  // JavaScript's Date takes the years 0 to 99 for those of 1900. A time of day alone refers to no date.
  if (date === null || start.get('year')! < 1000) return null
  if (end) return spanOf(start, end, now)
  // Chrono names a day of the week that is meant.
  return /\bweeks?\b/i.test(text) && !start.isCertain('weekday') ? weekOf(extentOf(date, now)!.start) : date
}

/** Returns what a text says of a date; null when it says nothing. */
function dateOf(
  parsed: ParsedComponents,
  year = isYearKnown(parsed) ? parsed.get('year') : null,
): TimeReference | null {
  if (parsed.isCertain('day') || parsed.isCertain('weekday'))
    return partialDate(parsed.get('day'), parsed.get('month'), year)
  if (parsed.isCertain('month')) return partialDate(null, parsed.get('month'), year)
  return parsed.isCertain('year') ? partialDate(null, null, year) : null
}

/** Returns whether a year is named, or the text names no month: "Friday" is a day of a certain year. */
function isYearKnown(parsed: ParsedComponents): boolean {
  return parsed.isCertain('year') || !parsed.isCertain('month')
}

/** Returns the time from the first date to the last; without a year, the latest that has begun. */
function spanOf(start: ParsedComponents, end: ParsedComponents, now: number): Span {
  const years = end.get('year')! - start.get('year')!
  const isExact = end.isCertain('millisecond')
  const of = (year: number) =>
    span(
      extentOf(dateOf(start, year)!, now)!.start,
      isExact ? end.date().getTime() : extentOf((dateOf(end, year + years) ?? dateOf(start, year))!, now)!.end,
    )
  return isYearKnown(start) || isYearKnown(end) ? of(start.get('year')!) : latestBegun(of, now)
}

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
