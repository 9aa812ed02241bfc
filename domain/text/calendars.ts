import { normaliseUnicode } from './characters.js'
import { ASCII_TEXT, wordsIn } from './words.js'
import type { Language } from './language.js'
import { TABLE } from './time-patterns.js'
import { type Calendar, createCalendar } from './translated-calendar.js'

/** Characters of a text that are searched for times. */
export const LONGEST_READ = 500

/** Calendars are made when a text first needs them: each takes 20 to 100 ms of CPU with its expressions, which are compiled when they are used. */
const made = new Map<Language, Calendar>()

/** Returns the calendar of a language: for one that is not in our table, of the names of months and days that Intl has, or of English where it has none. */
export function calendarOf(language: Language): Calendar {
  let calendar = made.get(language)
  if (calendar === undefined) made.set(language, (calendar = createCalendar(language)))
  return calendar
}

/**
 * Returns the languages in which a text is read for times: its own. Where that is unknown: English, and each language of which it has a letter of the
 * `script` or a `telling` word, which several languages may share. "hier" is listed for none: it is French for yesterday, and German for here.
 */
export function languagesOf(text: string, language: Language | null): readonly Language[] {
  if (language !== null) return [language]
  const read = text.slice(0, LONGEST_READ)
  const found = new Set<Language>(['en'])
  for (const word of wordsIn(read.toLowerCase())) for (const one of TELLING.get(word) ?? []) found.add(one)
  if (!ASCII_TEXT.test(read)) for (const [one, letters] of SCRIPTS) if (letters.test(read)) found.add(one)
  return [...found]
}

const TELLING = new Map<string, Language[]>()
for (const [language, words] of Object.entries(TABLE))
  for (const word of words!.telling?.split(' ') ?? []) TELLING.set(word, [...(TELLING.get(word) ?? []), language])

const SCRIPTS = Object.entries(TABLE).flatMap(([language, words]): [Language, RegExp][] =>
  words!.script === undefined ? [] : [[language, new RegExp(words!.script.replace(/\w+/g, '\\p{Script=$&}'), 'u')]],
)

/** Returns a text in the characters of the expressions: composed, with ASCII's digits and apostrophes. Positions in it may be others than in the given one. */
export function withPlainCharacters(text: string): string {
  if (ASCII_TEXT.test(text)) return text
  return normaliseUnicode(text, 'NFC')
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => (digit.length > 1 ? digit : digitOf(digit)))
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\u0130/g, 'i')
}

/** The digits of a script follow one another from zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!
  for (let value = 0; value < 10; value++)
    if (!/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) return String(value)
  return digit
}
