import {
  Chrono,
  type Parser,
  ParsingComponents,
  type ParsingContext,
  type ParsingResult,
  type Refiner,
} from 'chrono-node'
import { ENGLISH_PARSERS, ENGLISH_REFINERS, OVERLAP_REFINERS } from './chrono-parts.js'
import {
  amountOf,
  COUNT,
  inYear,
  partOf,
  quarterOf,
  relativePeriod,
  relativeSeason,
  seasonOf,
  startOfPastDay,
  stepOf,
  timeAgo,
} from './periods.js'
import {
  DAY_MS,
  datePartsOf,
  daysIn,
  numberedWeek,
  partialDate,
  span,
  type TimeReference,
  weekOf,
} from './time-reference.js'

type Groups = Readonly<Partial<Record<string, string>>>

const YEAR = '(?:19|20)\\d\\d'
/** "of 2025", "in this year", ", 2025", "/2025". */
const OF_YEAR = `(?:[-/, ]{1,2}(?:(?:of|in) )?(?<year>${YEAR}|(?:this|last|next) year))`
const WHICH = '(?:(?<which>last|past|previous|this|current|next|coming) )?'
/** A word before a season: without one, "fall" and "spring" are no seasons. */
const BEFORE_SEASON = '(?<=\\b(?:after|before|by|during|in|over|since|till|until) (?:the )?)'
const ORDINALS = ['first', 'second', 'third', 'fourth']

/** Parsers of what chrono does not find, or takes for one day of it. */
const PARSERS: readonly Parser[] = [
  words(
    `(?<half>half )?${COUNT}(?<plus> and a half)? (?<unit>day|week|month|year)s?(?<more> and a half)? ago`,
    ({ half, count, plus, unit, more }, now) =>
      timeAgo(amountOf(count!) + ((plus ?? more) ? 0.5 : half ? -0.5 : 0), unit!, now),
  ),
  words(`(?:last|past) ${COUNT} (?<unit>day|week|month|year)s`, ({ count, unit }, now) =>
    span(startOfPastDay(amountOf(count!), unit!, now), now),
  ),
  words('(?:the )?day (?<side>before yesterday|after tomorrow)', ({ side }, now) =>
    timeAgo(side === 'before yesterday' ? 2 : -2, 'day', now),
  ),
  words('(?:the )?(?<unit>week|month|weekend) (?<which>before last)', ({ which, unit }, now) =>
    relativePeriod(which, unit!, now),
  ),
  words(`${WHICH}(?<unit>week|month|quarter|weekend)`, ({ which, unit }, now) =>
    which === undefined && unit !== 'weekend' ? null : relativePeriod(which, unit!, now),
  ),
  words(
    `(?:(?<first>${YEAR})-?W|(?:(?:calendar )?week|CW|KW) ?)(?<week>\\d{1,2})${OF_YEAR}?`,
    ({ first, week, year = first }, now) => inYear(year, now, (of) => numberedWeek(+week!, of)),
  ),
  words(`(?:(?<first>${YEAR})[ /-]?)?Q(?<quarter>[1-4])${OF_YEAR}?`, ({ first, quarter, year = first }, now) =>
    inYear(year, now, (of) => quarterOf(+quarter!, of)),
  ),
  words(`(?<quarter>${ORDINALS.join('|')}|last) quarter${OF_YEAR}`, ({ quarter, year }, now) =>
    inYear(year, now, (of) => quarterOf(quarter === 'last' ? 4 : ORDINALS.indexOf(quarter!) + 1, of)),
  ),
  words(
    `(?:(?<place>${BEFORE_SEASON})|)${WHICH}(?<season>spring|summer|autumn|fall|winter)${OF_YEAR}?`,
    ({ place, which, season, year }, now) => {
      if (year !== undefined) return inYear(year, now, (of) => seasonOf(season!, of))
      return (which ?? place) === undefined ? null : relativeSeason(which, season!, now)
    },
  ),
  yearAlone(),
]

/** Makes a parser of the years 1900 to 2099 where no month stands beside them. */
export function yearAlone(): Parser {
  return words(`(?<![.:/])(?<year>${YEAR})(?![:/-]|\\.\\d)`, ({ year }) => partialDate(null, null, +year!))
}

/** Makes a parser of a pattern; `read` gets its groups in lower case and returns null when the match is no time after all. */
function words(pattern: string, read: (groups: Groups, now: number) => TimeReference | null): Parser {
  const expression = new RegExp(`(?<![\\w-])${pattern}(?!\\w)`, 'i')
  return {
    pattern: () => expression,
    extract: (context, match) => {
      const groups = Object.entries(match.groups ?? {}).map(([name, value]) => [name, value?.toLowerCase()])
      const time = read(Object.fromEntries(groups) as Groups, context.refDate.getTime())
      return time && setTime(context, context.createParsingResult(match.index!, match[0]), time)
    },
  }
}

/** Sets the time of a result. A span lasts from its first day to its last, or to the present instant. */
export function setTime(context: ParsingContext, result: ParsingResult, time: TimeReference): ParsingResult {
  if (time.kind === 'date') {
    const { year, month, day } = time
    const known = { ...(year && { year }), ...(month && { month }), ...(day && { day }) }
    result.start = context.createParsingComponents(known).imply('month', 1).imply('day', 1)
    return result
  }
  result.start = context.createParsingComponents(datePartsOf(time.start))
  result.end =
    time.end === context.refDate.getTime()
      ? ParsingComponents.createRelativeFromReference(context.reference, { millisecond: 0 })
      : context.createParsingComponents(datePartsOf(time.end - DAY_MS))
  return result
}

/** Corrects what chrono takes for a day: "31 June 2026" is of June 2026, and "Tuesday of last week" is not the latest Tuesday. */
function correct(context: ParsingContext, result: ParsingResult): void {
  const { start, text } = result
  dropNoDay(context, result)
  const week = start.isCertain('weekday') && NAMED_WEEK.exec(text)
  if (!week) return
  const monday = weekOf(context.refDate.getTime() + 7 * stepOf(week[1]!.toLowerCase()) * DAY_MS).start
  const { year, month, day } = datePartsOf(monday + ((start.get('weekday')! + 6) % 7) * DAY_MS)
  start.assign('year', year).assign('month', month).assign('day', day)
}

/** Takes a day that does not exist for its month. */
export function dropNoDay(_: ParsingContext, { start, end }: ParsingResult): void {
  for (const parsed of [start, ...(end ? [end] : [])])
    if (!parsed.isValidDate()) (parsed.delete(['day', 'weekday']), parsed.imply('day', 1))
}

const NAMED_WEEK = /\b(last|past|this|next)\s*week$/i

/** Returns whether a result may be a time. Chrono takes a weekend for one day. */
function isLikely({ start, end, text }: ParsingResult): boolean {
  return start.isValidDate() && (end ? end.isValidDate() : !/weekend/i.test(text))
}

const NAMED_YEAR = /^,? (?:(?:of|in) )?(this|last|next) year\b/i
const PART =
  /(?<!\w)(?:(?:early|mid|late)(?: in)?[- ]|(?:the )?(?:beginning|start|middle|end|(?:first|last) (?:days|week|half)) of )$/i

const DAY = /(?<!\w)(?:the )?(first|last) day of $/i

/**
 * Extends months and years to the words beside them: "March of last year", "mid-November", "the end of February 2024", "early last year",
 * "the last day of March".
 */
function extend(context: ParsingContext, result: ParsingResult): void {
  const { start, index, text } = result
  if (result.end || start.isCertain('day') || start.isCertain('weekday')) return
  const after = start.isDateWithUnknownYear() && NAMED_YEAR.exec(context.text.slice(index + text.length))
  if (after) {
    start.assign('year', context.refDate.getUTCFullYear() + stepOf(after[1]!.toLowerCase()))
    result.text += after[0]
  }
  const month = start.isCertain('month') ? start.get('month') : null
  const day = month === null ? null : DAY.exec(context.text.slice(0, index))
  if (day) {
    start.assign('day', day[1]!.toLowerCase() === 'first' ? 1 : daysIn(start.get('year')!, month!))
    result.index = day.index
    result.text = day[0] + result.text
    return
  }
  const before = PART.exec(context.text.slice(0, index))
  const year = start.isCertain('year') ? start.get('year') : null
  const time = before && partOf(before[0].toLowerCase(), month, year, context.refDate.getTime())
  if (!time) return
  setTime(context, result, time)
  result.index = before.index
  result.text = before[0] + result.text
}

/** Returns whether a result is the verb "may" or "march": in lower case and without a day, a year or a word that precedes months. */
function isVerb({ text, index }: ParsingResult, read: string): boolean {
  return VERB.test(text) && !BEFORE_MONTH.test(read.slice(0, index))
}

const VERB = /^(?:may|march)\b\D*$/
const BEFORE_MONTH = /\b(?:after|before|by|during|in|last|next|of|since|this|until)\s+$/i

/** Finds times in English texts: chrono's with ours first. */
export const englishCalendar = new Chrono({
  parsers: [...PARSERS, ...ENGLISH_PARSERS],
  refiners: [
    change(correct),
    keep(isLikely),
    change(extend),
    ...ENGLISH_REFINERS,
    ...OVERLAP_REFINERS,
    keep((result, text) => !isVerb(result, text)),
  ],
})

export function change(apply: (context: ParsingContext, result: ParsingResult) => void): Refiner {
  return { refine: (context, results) => (results.forEach((result) => apply(context, result)), results) }
}

export function keep(isKept: (result: ParsingResult, text: string) => boolean): Refiner {
  return { refine: ({ text }, results) => results.filter((result) => isKept(result, text)) }
}
