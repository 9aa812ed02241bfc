import type { ParsedComponents, ParsedResult } from 'chrono-node'
import { calendarOf, languagesOf, LONGEST_READ, withPlainCharacters } from './calendars.js'
import type { Language } from './language.js'
import type { Relation } from './time-patterns.js'
import { type Calendar, relationOf } from './translated-calendar.js'
import { extentOf, latestBegun, partialDate, type Span, span, type TimeReference, weekOf } from './time-reference.js'

/**
 * Returns the times that a query in a language refers to, with relative ones resolved at `now`: "yesterday", "last week", "in March",
 * "on 7 May 2023", "two weeks ago", "Q3 2025", "since the summer". A text of unknown language is read in English, and in each language of which it has
 * words about time.
 */
export function timeReferences(text: string, now: number, language: Language | null = null): TimeReference[] {
  return timeExpressions(text, now, language).map(({ relation, time }) => related(time, relation, now))
}

/** Returns the named times without their prepositions: "before 7 May 2023" names the 7th of May. */
export function namedTimes(text: string, now: number, language: Language | null = null): TimeReference[] {
  return timeExpressions(text, now, language).map(({ time }) => time)
}

interface TimeExpression {
  readonly relation: Relation | 'week of' | null
  readonly time: TimeReference
  /** Where it stands. */
  readonly start: number
  readonly end: number
}

/** Returns what is read in the languages of a text; where two read the same words, what takes more of them. */
function timeExpressions(text: string, now: number, language: Language | null): TimeExpression[] {
  const read = text.slice(0, LONGEST_READ)
  const languages = languagesOf(read, language)
  const found = languages.flatMap((one) => expressionsIn(read, now, calendarOf(one)))
  return languages.length === 1 ? found : longest(found)
}

function longest(found: readonly TimeExpression[]): TimeExpression[] {
  const kept: TimeExpression[] = []
  for (const one of found.toSorted((a, b) => b.end - b.start - (a.end - a.start)))
    if (kept.every(({ start, end }) => one.end <= start || end <= one.start)) kept.push(one)
  return kept.sort((a, b) => a.start - b.start)
}

function expressionsIn(text: string, now: number, { chrono, words }: Calendar): TimeExpression[] {
  const read =
    words === null ? text.replace(BETWEEN, '$1to ') : words.withRanges(withPlainCharacters(text).toLowerCase())
  return chrono.parse(read, { instant: new Date(now), timezone: 0 }).flatMap((result) => {
    const time = timeOf(result, now)
    if (time === null) return []
    const [start, end] = [result.index, result.index + result.text.length]
    const before = read.slice(0, start)
    const relation = words === null ? englishRelation(before) : relationOf(words, result, before, read.slice(end))
    return [{ relation, time, start, end }]
  })
}

/** Chrono reads "2 to 6 February" as one time. */
const BETWEEN = /\b(between\b.{1,40}?\b)and (?:the )?(?=\S)/gi

const PREPOSITION = /\b(after|before|by|prior to|since|till|until|up to|week of)(?: the)?(?: very)?\s+$/i

function englishRelation(before: string): TimeExpression['relation'] {
  const preposition = PREPOSITION.exec(before)?.[1]?.toLowerCase()
  switch (preposition) {
    case undefined:
      return null
    case 'since':
    case 'after':
    case 'before':
    case 'week of':
      return preposition
    case 'prior to':
      return 'before'
    default:
      return 'until'
  }
}

/** Applies the relation of a time, which makes it the start or the end of the span that is meant. */
function related(time: TimeReference, relation: TimeExpression['relation'], now: number): TimeReference {
  const extent = relation === null ? null : extentOf(time, now)
  if (extent === null) return time
  switch (relation) {
    case 'since':
      return span(extent.start, Infinity)
    case 'after':
      return span(extent.end, Infinity)
    case 'before':
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
