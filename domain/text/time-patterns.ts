import type { Language } from './language.js'
import { scriptOf } from './languages-of-scripts.js'
import table from './time-words.json' with { type: 'json' }

// A pattern says what it matched by the names of its groups, as `unit_day` and `which_minus1`, since only groups tell which alternative of an expression
// took part. To match the word again with one expression for each value takes longer, and loses what an alternative wants beside the word.

/** Says how a time stands to the words beside it. */
export type Relation = 'since' | 'before' | 'after' | 'until'

/**
 * The words about time of a language. Each is a part of a regular expression, in which a space stands for one or two characters of white space, and a
 * letter with an accent also for the one without.
 */
export interface TimeWords {
  /** Times by a unit and a number of steps: `week -1` is last week. */
  readonly at?: Readonly<Record<string, string>>
  /** Units of which there may be several, as in "two weeks ago". */
  readonly units?: Readonly<Record<string, string>>
  /** Units of which one is meant, as in "last week". */
  readonly periods?: Readonly<Record<string, string>>
  /** From one to 31. Words for several are among those for two or three. */
  readonly counts?: string
  /** Words for which one, by the number of steps. */
  readonly which?: Readonly<Record<string, string>>
  /** A count has half a one more where the group `half` matches. */
  readonly patterns?: Readonly<Record<string, readonly string[]>>
  /** Forms that Intl does not have, from January and from Monday. */
  readonly months?: string
  readonly weekdays?: string
  /** Forms of Intl that have another meaning too. */
  readonly omit?: readonly string[]
  /** Words that precede a month in the form that it has beside a day. */
  readonly monthAfter?: string
  /** Words that precede a date of two numbers with dots: "am 3.4.". */
  readonly dotted?: string
  /** Words that may precede every word, without a space. */
  readonly prefix?: string
  /** Words that may precede a month or a year after a day. */
  readonly of?: string
  /** Words that may follow a year. */
  readonly year?: string
  /** Words that join a weekday to a week, and a month to a year. */
  readonly joint?: string
  /** Words that join two ends of a span. */
  readonly to?: string
  /** Words before two ends of a span, those between them, and a word of `to` for it. */
  readonly between?: string
  /** Which comes first in dates of numbers, the day (as a rule) or the month. */
  readonly order?: string
  readonly accents?: string
  readonly since?: string
  readonly before?: string
  readonly after?: string
  readonly until?: string
  readonly articles?: string
  readonly postposed?: Readonly<Partial<Record<Relation, string>>>
  /** Words that ask for a time wherever it stands. */
  readonly when?: string
  /** Words that ask for a time at the beginning or the end of a question, and begins a clause elsewhere. */
  readonly clause?: string
  /** Words that no English text has, by which a text of unknown language is read in this one. */
  readonly telling?: string
  /** Scripts by whose letters it is read in this one. */
  readonly script?: string
}

export const TABLE: Readonly<Partial<Record<string, TimeWords>>> = table

/** Patterns of a language whose table has none of a kind. The kinds are those of `READERS` in translated-calendar.ts. */
const RELATIVE = ['<which> <period>']
const WEEKDAY = ['<which> <weekday>', '<weekday>']
const DATES = [
  '<day>(?:[.]|er|ère|[ºª°]|-?[a-zа-я]{1,3})? ?(?:(?:[-\u2013]|<to>) ?<last>[.]?)?(?: <of>)? ?<month>(?:,?(?: <of>)? <year>)?',
  '<day>[.]?(?: <of>)? <short>[.]?(?:,?(?: <of>)? <year>)',
]
const MONTH = ['<month>(?:,?(?: <of>)? <year>)', '<named>']
const NUMBERED = '<year>[./] ?<monthNumber>[./] ?<day>[.]?'

/** Returns the patterns of a language by kind. */
export function patternsOf({
  patterns = {},
  periods = {},
  monthAfter,
  dotted,
}: TimeWords): Record<string, readonly string[]> {
  const { relative = RELATIVE, weekday = WEEKDAY, dates = DATES, month = MONTH, ...others } = patterns
  return {
    ...others,
    relative: Object.keys(periods).length === 0 ? [] : relative,
    weekday,
    dates: [
      ...dates,
      NUMBERED,
      ...(dotted === undefined ? [] : [`(?<=(?:${dotted}) )<day>[.]<monthNumber>(?:[.](?!\\d)|(?![.\\d]))`]),
    ],
    month: monthAfter === undefined ? month : [...month, `(?<=(?:${monthAfter}) )<month>`],
  }
}

/** Returns the patterns of all times in the words of a language. */
export function timePatternsOf(words: TimeWords): string[] {
  return [...Object.values(words.at ?? {}), ...Object.values(patternsOf(words)).flat()]
}

type Groups = Readonly<Partial<Record<string, string>>>

/** Returns which alternative of a choice matched. */
export function chosen(groups: Groups, choice: string): string | undefined {
  const found = Object.keys(groups).find((name) => name.startsWith(`${choice}_`) && groups[name] !== undefined)
  return found?.slice(choice.length + 1).replace('minus', '-')
}

/** Returns an expression that matches one of some parts and names it. */
function choice(name: string, parts: Iterable<readonly [key: string, part: string]>): string {
  const named = [...parts]
    .filter(([, part]) => part !== '')
    .map(([key, part]) => `(?<${name}_${key.replace('-', 'minus')}>${part})`)
  return named.length === 0 ? NOTHING : `(?:${named.join('|')})`
}

const NOTHING = '(?!)'
/** Matches the parts of a pattern that name a time, as words of their own or not. */
const NAMING = /<(?:unit|period|weekday|month|named|short)>/
const JOINED_NAMING = /[^ ?]<(?:unit|period|weekday|month|named|short)>/

const LATIN = '0-9a-z_\\u00aa\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02b8\\u0300-\\u036f\\u1e00-\\u1eff'
/**
 * Small letters, marks and digits in texts of the scripts of our table, as the few ranges that they are in: an expression with two classes of all
 * letters takes some ten times as long to make.
 */
const LETTERS: Readonly<Record<string, string>> = {
  Latn: LATIN,
  Cyrl: `${LATIN}\\u0400-\\u0481\\u0483-\\u052f`,
  Arab: `${LATIN}\\u0610-\\u061a\\u0620-\\u0669\\u066e-\\u06d3\\u06d5-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06fc`,
  Deva: `${LATIN}\\u0900-\\u0963\\u0966-\\u096f\\u0971-\\u097f`,
  Kore: `${LATIN}\\u1100-\\u11ff\\u3131-\\u318e\\uac00-\\ud7a3\\u3400-\\u9fff`,
}

/** Returns the letters, marks and digits that stand neither before nor after a word of a language, as a class of expressions. */
function lettersOf(language: Language): string {
  return LETTERS[scriptOf(language)!] ?? '\\p{L}\\p{M}\\p{N}_'
}

/**
 * Makes expressions of the patterns of one language, for texts in small letters: those for any case take ten times as long to make. Words in angle
 * brackets stand for what its table says.
 */
export class Patterns {
  readonly #parts: Readonly<Record<string, string>>
  readonly #letters: string | null
  readonly #before: string
  readonly #after: string

  constructor(
    language: Language,
    private readonly words: TimeWords,
  ) {
    const { units = {}, periods = {}, which = {}, counts, of, to, year } = words
    const months = monthsOf(language, words)
    this.#parts = {
      unit: choice('unit', Object.entries(units)),
      period: choice('period', Object.entries(periods)),
      which: choice('which', Object.entries(which)),
      count: `(?:(?<count_number>\\d{1,3})|${choice('count', numbered(counts?.split('; ') ?? []).toReversed())})`,
      weekday: choice('weekday', numbered(weekdaysOf(language, words))),
      month: choice('month', numbered(months.all)),
      named: choice('month', numbered(months.alone)),
      short: choice('month', numbered(months.short)),
      monthNumber: '(?<monthNumber>1[0-2]|0?[1-9])',
      day: '(?<day>3[01]|[12]\\d|0?[1-9])',
      last: '(?<last>3[01]|[12]\\d|0?[1-9])',
      year: `(?<year>[12]\\d{3})${year ?? ''}`,
      of: of === undefined ? NOTHING : `(?:${of})`,
      to: to === undefined ? NOTHING : `(?:${to})`,
    }
    this.#letters = UNSPACED_LANGUAGES.has(language) ? null : lettersOf(language)
    this.#before = this.#letters === null ? '(?<!\\d)' : `(?<![${this.#letters}-])${words.prefix ?? ''}`
    this.#after = this.#letters === null || language === 'ko' ? '(?!(?<=\\d)\\d)' : `(?![${this.#letters}])`
  }

  /** Returns an expression of a pattern as words of their own. */
  expression(pattern: string): RegExp {
    return this.plain(`${this.#before}(?:${pattern})${this.#after}`)
  }

  /** Returns an expression of one of some patterns. */
  any(patterns: readonly string[]): RegExp {
    return this.#anyBetween(this.#before, patterns, this.#after)
  }

  /**
   * Returns an expression that matches in every text in which that of `any` does, and in others: it looks for the word of a time that names it, without
   * a letter of these before it. It takes a tenth of the time to make.
   */
  anyWord(patterns: readonly string[], letter: string): RegExp {
    const whole = patterns.filter((pattern) => !NAMING.test(pattern) || JOINED_NAMING.test(pattern))
    const before = this.#letters !== null && this.words.prefix === undefined ? `(?<!${letter})` : ''
    return this.#anyBetween('', [...whole, `${before}(?:<unit>|<period>|<weekday>|<month>|<short>)`], '')
  }

  #anyBetween(before: string, patterns: readonly string[], after: string): RegExp {
    const source = this.#source(patterns.join('|')).replace(/\(\?<\w+>/g, '(?:')
    return new RegExp(`${this.#source(before)}(?:${inSmallLetters(source)})${this.#source(after)}`, 'u')
  }

  plain(pattern: string): RegExp {
    return new RegExp(inSmallLetters(this.#source(pattern)), 'u')
  }

  #source(pattern: string): string {
    const whole = pattern.replace(/<(\w+)>/g, (bracketed, name: string, at: number) =>
      pattern.startsWith('(?', at - 2) ? bracketed : (this.#parts[name] ?? NOTHING),
    )
    const spaced = whole.replaceAll(' ?', '\\s{0,2}').replaceAll(' ', '\\s{1,2}')
    return this.words.accents === 'kept' ? spaced : spaced.replace(/[\u00c0-\u024f]/gu, withoutAccent)
  }
}

const UNSPACED_LANGUAGES: ReadonlySet<Language> = new Set(['zh', 'ja'])

function numbered(names: readonly string[]): [string, string][] {
  return names.map((name, i) => [String(i + 1), name])
}

/** Returns an expression in small letters but for its escapes, such as `\P{L}`, and the names of its groups. */
function inSmallLetters(source: string): string {
  return source.replace(
    /(\\[pP]\{[\w=]+\}|\\.|\(\?<\w+>)|[^\\(]+/gu,
    (part, kept?: string) => kept ?? part.toLowerCase(),
  )
}

function withoutAccent(letter: string): string {
  const [plain] = letter.normalize('NFD')
  return plain === letter ? letter : `[${letter}${plain}]`
}

interface Months {
  /** Forms that stand alone, those that stand beside a day too, and short ones. */
  readonly alone: readonly string[]
  readonly all: readonly string[]
  readonly short: readonly string[]
}

const DAY_MS = 86_400_000
const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15))
/** 1 January 2024 was a Monday. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1) + day * DAY_MS)

/** Returns the months that Intl knows with those of the table, as parts of expressions. */
function monthsOf(language: Language, { months, omit }: TimeWords): Months {
  const own = months?.split('; ') ?? []
  const alone = namesOf(language, MONTHS, { month: 'long' })
  const besideDay = namesOf(language, MONTHS, { month: 'long', day: 'numeric' })
  const short = namesOf(language, MONTHS, { month: 'short', day: 'numeric' })
  return {
    alone: joined([alone, own], omit),
    all: joined([alone, besideDay, own], omit),
    short: joined([short.map((name) => name.replace(/\.$/, ''))], omit),
  }
}

function weekdaysOf(language: Language, { weekdays, omit }: TimeWords): string[] {
  return joined([namesOf(language, WEEKDAYS, { weekday: 'long' }), weekdays?.split('; ') ?? []], omit)
}

function namesOf(language: Language, at: readonly number[], options: Intl.DateTimeFormatOptions): string[] {
  const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...options, timeZone: 'UTC' })
  return at.map((time) => format.formatToParts(time).find(({ type }) => type in options && type !== 'day')?.value ?? '')
}

function joined(lists: readonly (readonly string[])[], omitted: readonly string[] = []): string[] {
  return lists[0]!.map((_, i) => {
    const forms = lists.map((list) => list[i] ?? '')
    return [...new Set(forms.filter((form) => isName(form) && !omitted.includes(form.toLowerCase())))].join('|')
  })
}

/** Returns whether a month has a name: some languages count them. */
function isName(form: string): boolean {
  return form !== '' && !/^\d/.test(form)
}
