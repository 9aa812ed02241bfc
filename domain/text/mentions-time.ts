import { calendarOf, languagesOf, withPlainCharacters } from './calendars.js'
import calendar from './english-calendar.json' with { type: 'json' }
import type { Language } from './language.js'

const MONTHS = `${calendar.months} ${calendar['short months']}`.replaceAll(' ', '|')
const TIME_WORDS = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|night|week|weekend|month|year|
  ${`${calendar.weekdays} ${calendar.months.replace(' may ', ' ')}`.replaceAll(' ', '|')}|q[1-4]|quarter|(?:in|since|until|by|of|this)\\s(?:may|spring|summer|autumn|fall|winter)|
  (?:${MONTHS})\\.?\\s\\d{1,2}|\\d{1,2}\\s(?:${MONTHS})|(?:19|20)\\d\\d|\\d+(?:st|nd|rd|th))\\b`.replace(/\s+/g, ''),
  'i',
)

/** Returns whether a text in a language says when something is or was. */
export function mentionsTime(text: string, language: Language | null = null): boolean {
  return languagesOf(text, language).some((one) => {
    const { words } = calendarOf(one)
    return words === null ? TIME_WORDS.test(text) : words.time.test(withPlainCharacters(text).toLowerCase())
  })
}
