import {
  Chrono,
  type ParsedResult,
  type Parser,
  type ParsingContext,
  type ParsingResult,
  type Refiner,
} from 'chrono-node'
import { change, dropNoDay, englishCalendar, keep, setTime, yearAlone } from './calendar.js'
import { DAY_FIRST, MONTH_FIRST, OVERLAP_REFINERS, RANGE_MERGE, type RangeMerge } from './chrono-parts.js'
import type { Language } from './language.js'
import { periodAt, startOfPastDay, timeAgo } from './periods.js'
import { chosen, Patterns, patternsOf, type Relation, TABLE, timePatternsOf, type TimeWords } from './time-patterns.js'
import { DAY_MS, datePartsOf, dayOf, partialDate, span, type TimeReference, weekOf } from './time-reference.js'

/** Reads the times of one language. English has no `words`: its expressions are where they are used. */
export interface Calendar {
  readonly chrono: Chrono
  readonly words: CalendarWords | null
}

interface CalendarWords {
  /** Writes "between … and …" as chrono reads it. */
  readonly withRanges: (text: string) => string
  /** Matches any time in a text in small letters. */
  readonly time: RegExp
  /** Match the words before a time, and after it, with each relation as a group. */
  readonly before: RegExp
  readonly after: RegExp
  /** Matches a question for a time. */
  readonly question: RegExp
}

/** Makes the calendar of a language. */
export function createCalendar(language: Language): Calendar {
  if (language === 'en' || !isKnown(language)) return { chrono: englishCalendar, words: null }
  const words = TABLE[language] ?? {}
  const patterns = new Patterns(language, words)
  const sources = patternsOf(words)
  const joint = patterns.plain(`^[\\s,]*(?:(?:${[words.joint, words.articles].filter(Boolean).join('|')})[\\s']*)?$`)
  const to = patterns.plain(`^ ?(?:[-\\u2013]|<to>) ?(?:(?:${words.articles ?? ''}) ?)?$`)
  return {
    chrono: new Chrono({
      parsers: [
        ...Object.entries(words.at ?? {}).map(([time, source]) => fixedTime(time, patterns.expression(source))),
        ...Object.entries(READERS).flatMap(([kind, read]) =>
          (sources[kind] ?? []).map((source) => parser(patterns.expression(source), read)),
        ),
        yearAlone(),
        ...(words.order === 'middle' ? MONTH_FIRST : DAY_FIRST),
      ],
      refiners: [
        change(dropNoDay),
        keep(({ start, end }) => start.isValidDate() && (end?.isValidDate() ?? true)),
        ...OVERLAP_REFINERS,
        joining(joint),
        ranging(to),
        ...OVERLAP_REFINERS,
      ],
    }),
    words: {
      withRanges: rangesOf(patterns, words),
      time: patterns.any([...timePatternsOf(words), MENTIONED_NUMBERS]),
      before: patterns.plain(`(?<![\\p{L}\\p{M}])${relations(words)} ?(?:(?:${words.articles ?? ''}) ?)?$`),
      after: patterns.plain(`^ ?${relations(words.postposed ?? {})}`),
      question: questionOf(patterns, words),
    },
  }
}

/** Years and dates in numbers. */
const MENTIONED_NUMBERS = '(?:\\d{1,2}[./-]\\d{1,2}[./-])?(?:19|20)\\d\\d'

/** Returns whether the times of a language are known. */
export function isKnown(language: Language): boolean {
  return language in TABLE || Intl.DateTimeFormat.supportedLocalesOf(language).length > 0
}

const RELATIONS: readonly Relation[] = ['since', 'before', 'after', 'until']

function relations(words: Readonly<Partial<Record<Relation, string>>>): string {
  return `(?:${RELATIONS.map((relation) => `(?<${relation}>${words[relation] ?? '(?!)'})`).join('|')})`
}

function rangesOf(patterns: Patterns, { between }: TimeWords): (text: string) => string {
  if (between === undefined) return (text) => text
  const [before, and, to] = between.split('; ')
  const expression = patterns.plain(`((?<!\\p{L})(?:${before}) .{1,40}? )(?:${and})(?= )`)
  return (text) => text.replace(expression, `$1${to}`)
}

/** Words that ask for a time anywhere, and those that do so at either end of a question but begin a clause elsewhere. */
function questionOf(patterns: Patterns, { when = '(?!)', clause = '(?!)' }: TimeWords): RegExp {
  const [anywhere, atEnd] = [when, clause].map((source) => patterns.any([source]).source)
  return new RegExp(`${anywhere}|^\\P{L}*${atEnd}[^,，、]*$|${atEnd}\\P{L}*$`, 'u')
}

type Groups = Readonly<Partial<Record<string, string>>>
type Reader = (groups: Groups, now: number) => TimeReference | Weekday | null

/** A day of the week without a word for which. */
interface Weekday {
  readonly kind: 'weekday'
  /** From 1, a Monday. */
  readonly weekday: number
}

const READERS: Readonly<Record<string, Reader>> = {
  ago: (groups, now) => timeAgo(countIn(groups), chosen(groups, 'unit')!, now),
  past: (groups, now) => span(startOfPastDay(countIn(groups), chosen(groups, 'unit')!, now), now),
  relative: (groups, now) => periodAt(+chosen(groups, 'which')!, chosen(groups, 'period')!, now),
  weekOf: (groups, now) => dayOfWeek(now + 7 * +chosen(groups, 'which')! * DAY_MS, +chosen(groups, 'weekday')!),
  weekday: (groups, now) => readWeekday(+chosen(groups, 'weekday')!, chosen(groups, 'which'), now),
  dates: readDate,
  month: readDate,
}

/** Returns the count that matched, with its half; none is one, as in "a week ago". */
function countIn(groups: Groups): number {
  return +(groups.count_number ?? chosen(groups, 'count') ?? 1) + (groups.half === undefined ? 0 : 0.5)
}

function dayOfWeek(at: number, weekday: number): TimeReference {
  return dayAt(weekOf(at).start + (weekday - 1) * DAY_MS)
}

function dayAt(at: number): TimeReference {
  const { year, month, day } = datePartsOf(at)
  return partialDate(day, month, year)
}

/** Returns the day of this week, or the nearest before or after today. */
function readWeekday(weekday: number, which: string | undefined, now: number): TimeReference | Weekday {
  if (which === undefined) return { kind: 'weekday', weekday }
  if (which === '0') return dayOfWeek(now, weekday)
  const days = (weekday - new Date(now).getUTCDay() + 7) % 7
  return dayAt(dayOf(now) + (+which < 0 ? days - 7 : days || 7) * DAY_MS)
}

function readDate(groups: Groups): TimeReference | null {
  const { year, day, monthNumber = chosen(groups, 'month') } = groups
  return partialDate(
    day === undefined ? null : +day,
    monthNumber === undefined ? null : +monthNumber,
    year === undefined ? null : +year,
  )
}

function fixedTime(time: string, expression: RegExp): Parser {
  const [unit, step] = time.split(' ') as [string, string]
  return parser(expression, (_, now) => periodAt(+step, unit, now))
}

function parser(expression: RegExp, read: Reader): Parser {
  return {
    pattern: () => expression,
    extract: (context, match) => {
      const groups: Groups = match.groups ?? {}
      const time = read(groups, context.refDate.getTime())
      if (time === null) return null
      const result = context.createParsingResult(match.index!, match[0])
      if (time.kind === 'weekday') return setWeekday(context, result, time)
      setTime(context, result, time)
      if (groups.last !== undefined) {
        result.end = result.start.clone().assign('day', +groups.last)
        result.addTag(RANGE)
      }
      return result
    },
  }
}

/** Sets the nearest day of the week, before or after, as chrono does in English. */
function setWeekday(context: ParsingContext, result: ParsingResult, { weekday }: Weekday): ParsingResult {
  const now = context.refDate.getTime()
  const days = ((weekday - new Date(now).getUTCDay() + 10) % 7) - 3
  const { year, month, day } = datePartsOf(now + days * DAY_MS)
  result.start = context.createParsingComponents({ weekday: weekday % 7 })
  result.start.imply('year', year).imply('month', month).imply('day', day)
  return result
}

/** Joins a weekday to a week beside it ("Friday of last week"), and a month or a day to a year ("March of last year"). */
function joining(joint: RegExp): Refiner {
  return {
    refine: (context, results) => {
      const joined: ParsingResult[] = []
      for (const result of results) {
        const last = joined.at(-1)
        const between = last && context.text.slice(last.index + last.text.length, result.index)
        if (between === undefined || !joint.test(between)) joined.push(result)
        else if (complete(result, last!)) joined[joined.length - 1] = extended(result, last!, between)
        else if (complete(last!, result)) extended(last!, result, between)
        else joined.push(result)
      }
      return joined
    },
  }
}

/** Completes a weekday by a week or a date, or a time without a year by a year; returns false for any other two. */
function complete(result: ParsingResult, by: ParsingResult): boolean {
  const { start, end } = result
  if (isWeek(by)) {
    if (!start.isOnlyWeekdayComponent()) return false
    const monday = by.start.date().getTime()
    const { year, month, day } = datePartsOf(monday + ((start.get('weekday')! + 6) % 7) * DAY_MS)
    start.assign('year', year).assign('month', month).assign('day', day)
    return true
  }
  if (by.start.isCertain('day') && start.isOnlyWeekdayComponent()) {
    result.start = by.start
    result.end = by.end
    return true
  }
  const isYear = by.start.isCertain('year') && !by.start.isCertain('month') && !by.end
  if (!isYear || !start.isDateWithUnknownYear()) return false
  for (const parsed of [start, ...(end ? [end] : [])]) parsed.assign('year', by.start.get('year')!)
  return true
}

function isWeek({ start, end }: ParsingResult): boolean {
  if (!end || start.date().getUTCDay() !== 1) return false
  return Math.round((end.date().getTime() - start.date().getTime()) / DAY_MS) === 6
}

/** Returns a result with the text of another beside it. */
function extended(result: ParsingResult, other: ParsingResult, between: string): ParsingResult {
  const [first, second] = result.index < other.index ? [result, other] : [other, result]
  const text = first.text + between + second.text
  result.index = first.index
  result.text = text
  return result
}

/** Makes a refiner that joins the two ends of a span: chrono's, with the words of a language between them. */
function ranging(between: RegExp): Refiner {
  const merging: RangeMerge = Object.create(RANGE_MERGE) as RangeMerge
  return Object.assign(merging, {
    patternBetween: () => between,
    mergeResults: (...ends: [string, ParsingResult, ParsingResult]) => RANGE_MERGE.mergeResults(...ends).addTag(RANGE),
  })
}

/** Tags a span of which both ends are written: what precedes it says nothing else ("from 3 to 5 May"). */
const RANGE = 'range'

/** Returns how a time stands to the text before and after it. */
export function relationOf(
  { before, after }: CalendarWords,
  time: ParsedResult,
  textBefore: string,
  textAfter: string,
): Relation | null {
  if (time.tags().has(RANGE)) return null
  const groups =
    after.exec(textAfter.slice(0, LONGEST_RELATION))?.groups ?? before.exec(textBefore.slice(-LONGEST_RELATION))?.groups
  return RELATIONS.find((relation) => groups?.[relation] !== undefined) ?? null
}

const LONGEST_RELATION = 40
