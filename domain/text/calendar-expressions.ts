import {
  DAY_MS,
  daysOf,
  dayOf,
  latestBegun,
  monthsOf,
  numberedWeek,
  type Span,
  span,
  weekOf,
  weekendOf,
} from './time-reference.js'

/** A time expression and its position in the text. */
export interface TimeExpression<Time> {
  readonly index: number
  readonly text: string
  readonly time: Time
}

interface Reader {
  /** Global; its groups are passed to `read`. */
  readonly pattern: RegExp
  /** Returns null when the match is no time after all. Groups are in lower case. */
  readonly read: (groups: Readonly<Partial<Record<string, string>>>, now: number) => Span | null
}

/**
 * Finds weeks by number, quarters, seasons, holidays, parts of months and what else a calendar library does not parse.
 */
export function calendarWords(text: string, now: number): TimeExpression<Span>[] {
  const parsed: TimeExpression<Span>[] = []
  let rest = text
  for (const { pattern, read } of READERS)
    rest = rest.replace(pattern, (...found: unknown[]) => {
      const [matched, groups] = [found[0] as string, found.at(-1) as Record<string, string | undefined>]
      const small = Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()])
      const time = read(Object.fromEntries(small) as Record<string, string | undefined>, now)
      if (time === null) return matched
      parsed.push({ index: found.at(-3) as number, text: matched, time })
      return ' '.repeat(matched.length)
    })
  return parsed
}

const YEAR = '(?:19|20)\\d\\d'
/** "of 2025", "in this year", ", 2025". */
const OF_YEAR = `(?:,? (?:(?:of|in) )?(?<year>${YEAR}|(?:this|last|next) year))?`
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const SEASON = '(?<season>spring|summer|autumn|fall|winter)'
const WHICH = '(?<which>last|past|previous|this|current|next|coming)'

const SEASONS: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 }
const HOLIDAYS: Readonly<Record<string, readonly [month: number, first: number, last: number]>> = {
  christmas: [12, 24, 26],
  'new year': [12, 31, 32],
  halloween: [10, 31, 31],
  "valentine's day": [2, 14, 14],
}
const QUARTERS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, last: 4 }

const READERS: readonly Reader[] = [
  reader(
    `between (?:the )?(?<first>\\d{1,2})(?:st|nd|rd|th)? and (?:the )?(?<last>\\d{1,2})(?:st|nd|rd|th)? (?:of )?${MONTH}${OF_YEAR}`,
    ({ first, last, month, year }, now) =>
      +first! >= 1 && +last! <= 31 && +first! < +last!
        ? inYear(year, now, (of) => daysOf(of, monthOf(month!), +first!, +last!))
        : null,
  ),
  reader('(?:the )?day (?<side>before yesterday|after tomorrow)', ({ side }, now) => {
    const start = dayOf(now) + (side === 'before yesterday' ? -2 : 2) * DAY_MS
    return span(start, start + DAY_MS)
  }),
  reader('(?:the )?(?<unit>week|month) before last', ({ unit }, now) => relativeSpan(unit!, -2, now)),
  reader('this week', (_, now) => weekOf(now)),
  reader(`(?:${WHICH} )?weekend`, ({ which }, now) => weekend(which, now)),
  reader(`(?<year>${YEAR})-?W(?<week>\\d{1,2})`, ({ week, year }) => numberedWeek(+week!, +year!)),
  reader(`(?:(?:calendar )?week|CW|KW) ?(?<week>\\d{1,2})${OF_YEAR}`, ({ week, year }, now) =>
    inYear(year, now, (of) => numberedWeek(+week!, of)),
  ),
  reader(`(?<year>${YEAR})[ -/]?Q(?<quarter>[1-4])`, ({ quarter, year }) => quarterOf(+quarter!, +year!)),
  reader(
    `Q(?<quarter>[1-4])(?:[-/, ]{0,2}(?:(?:of|in) )?(?<year>${YEAR}|(?:this|last|next) year))?`,
    ({ quarter, year }, now) => inYear(year, now, (of) => quarterOf(+quarter!, of)),
  ),
  reader(`(?<quarter>first|second|third|fourth|last) quarter(?= of| in)${OF_YEAR}`, ({ quarter, year }, now) =>
    year === undefined ? null : inYear(year, now, (of) => quarterOf(QUARTERS[quarter!]!, of)),
  ),
  reader(`${WHICH} quarter`, ({ which }, now) => relativeSpan('quarter', stepOf(which!), now)),
  reader(`${SEASON} (?:of |in )?(?<year>${YEAR}|(?:this|last|next) year)`, (parsed, now) =>
    inYear(parsed.year, now, (of) => seasonOf(parsed.season!, of)),
  ),
  reader(`${WHICH} ${SEASON}`, ({ which, season }, now) => relativeSeason(stepOf(which!), season!, now)),
  reader(`(?<=\\b(?:after|before|by|during|in|over|since|till|until) (?:the )?)${SEASON}`, ({ season }, now) =>
    relativeSeason(null, season!, now),
  ),
  reader(
    `(?:${WHICH} )?(?<holiday>christmas|new year|halloween|valentine['\\u2019]s day)(?:['\\u2019]s)?(?: (?:eve|day))?${OF_YEAR}`,
    (parsed, now) => holidaySpan(parsed, now),
  ),
  reader(`(?<part>early|mid|late)(?: in)?[- ]${MONTH}${OF_YEAR}`, (parsed, now) => partOfMonth(parsed, now)),
  reader(
    `(?:the )?(?<part>beginning|start|middle|end|first (?:days|week|half)|last (?:days|week|half)) of ${MONTH}${OF_YEAR}`,
    (parsed, now) => partOfMonth(parsed, now),
  ),
  reader(`(?<part>early|mid|late)(?: in)?[- ](?<year>${YEAR})`, ({ part, year }) => {
    const first = { early: 1, mid: 5, late: 9 }[part as 'early' | 'mid' | 'late']
    return monthsOf(+year!, first, 4)
  }),
]

function reader(pattern: string, read: Reader['read']): Reader {
  return { pattern: new RegExp(`(?<![\\w-])${pattern}(?![\\w])`, 'gi'), read }
}

/** Returns the span in the named year, else the latest that has begun. */
function inYear(parsed: string | undefined, now: number, of: (year: number) => Span | null): Span | null {
  const year = new Date(now).getUTCFullYear()
  if (parsed === undefined) return of(year) && latestBegun((one) => of(one) ?? span(Infinity, Infinity), now)
  return of(parsed.endsWith('year') ? year + stepOf(parsed.slice(0, -5)) : +parsed)
}

function stepOf(which: string): -1 | 0 | 1 {
  if (which === 'this' || which === 'current') return 0
  return which === 'next' || which === 'coming' ? 1 : -1
}

function relativeSpan(unit: string, step: number, now: number): Span {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1]
  if (unit === 'week') return weekOf(now + 7 * step * DAY_MS)
  return unit === 'month' ? monthsOf(year, month + step, 1) : quarterOf(Math.ceil(month / 3) + step, year)
}

/** Returns a weekend. Unless the text says that it is to come, it is over or today: recall looks back. */
function weekend(which: string | undefined, now: number): Span {
  const current = weekendOf(now)
  if (which !== undefined && stepOf(which) === 0) return current
  if (which !== undefined && stepOf(which) === 1) return weekendOf(now + 7 * DAY_MS)
  return current.start > now || which !== undefined ? weekendOf(now - 7 * DAY_MS) : current
}

/** Returns the month's number from 1. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3)) + 1
}

function quarterOf(quarter: number, year: number): Span {
  return monthsOf(year, 3 * quarter - 2, 3)
}

/** Returns three months of the northern hemisphere's year; a winter belongs to the year in which it begins. */
function seasonOf(season: string, year: number): Span {
  return monthsOf(year, SEASONS[season]!, 3)
}

/**
 * Returns a season by its position: -1 is the latest that has ended, 1 the next to begin, 0 the current or next one,
 * null the latest that has begun.
 */
function relativeSeason(position: -1 | 0 | 1 | null, season: string, now: number): Span {
  const year = new Date(now).getUTCFullYear()
  const all = [year - 2, year - 1, year, year + 1].map((of) => seasonOf(season, of))
  if (position === -1) return all.findLast(({ end }) => end <= now)!
  if (position === 0) return all.find(({ end }) => end > now)!
  return position === 1 ? all.find(({ start }) => start > now)! : all.findLast(({ start }) => start <= now)!
}

function holidaySpan(
  { which, holiday: name, year }: Readonly<Partial<Record<string, string>>>,
  now: number,
): Span | null {
  const [month, first, last] = HOLIDAYS[name!.replace('\u2019', "'")]!
  const of = (one: number) => daysOf(one, month, first, last)
  if (year !== undefined) return inYear(year, now, of)
  const latest = latestBegun(of, now)
  return which !== undefined && stepOf(which) >= 0 ? of(new Date(latest.start).getUTCFullYear() + 1) : latest
}

const PARTS_OF_MONTH: Readonly<Record<string, readonly [first: number, last: number]>> = {
  early: [1, 10],
  beginning: [1, 7],
  start: [1, 7],
  'first days': [1, 7],
  'first week': [1, 7],
  'first half': [1, 15],
  mid: [10, 21],
  middle: [10, 21],
  late: [21, 31],
  end: [24, 31],
  'last days': [24, 31],
  'last week': [24, 31],
  'last half': [16, 31],
}

function partOfMonth({ part, month: name, year }: Readonly<Partial<Record<string, string>>>, now: number): Span | null {
  const month = monthOf(name!)
  const [first, last] = PARTS_OF_MONTH[part!]!
  return inYear(year, now, (of) =>
    daysOf(of, month, first, Math.min(last, new Date(Date.UTC(of, month, 0)).getUTCDate())),
  )
}
