import { LONGEST_READ, withPlainCharacters } from '../text/calendars.js'
import type { Language } from '../text/language.js'
import { scriptOf } from '../text/languages-of-scripts.js'
import { Patterns, TABLE, timePatternsOf } from '../text/time-patterns.js'
import { isKnown } from '../text/translated-calendar.js'

/** Returns the times in a text of any length, as a language writes them; none in English, whose words are known. */
export function timesIn(text: string, language: Language): string {
  let reader = readers.get(language)
  if (reader === undefined) readers.set(language, (reader = new TimesReader(language)))
  return reader.timesIn(text)
}

const readers = new Map<Language, TimesReader>()

/**
 * Reads the times of one language. Its expressions are made when a text first needs them: the names that Intl knows take 2 ms, the expression with
 * all letters around a time as much, that with the letters of one script a tenth.
 */
class TimesReader {
  readonly #letters: string | null
  readonly #hasLetters: RegExp
  #patterns: Patterns | undefined
  #likely: RegExp | undefined
  #time: RegExp | undefined

  constructor(private readonly language: Language) {
    this.#letters = language === 'en' || !isKnown(language) ? null : lettersOf(language)
    this.#hasLetters = new RegExp(this.#letters ?? '(?!)', 'u')
  }

  timesIn(text: string): string {
    if (!this.#hasLetters.test(text)) return ''
    return withPlainCharacters(text)
      .split(SENTENCE_END)
      .flatMap((sentence) => sentence.match(PIECE) ?? [])
      .flatMap((piece) => this.#timesIn(piece.toLowerCase()))
      .join(' ')
  }

  #timesIn(piece: string): string[] {
    const words = TABLE[this.language] ?? {}
    this.#patterns ??= new Patterns(this.language, words)
    this.#likely ??= this.#patterns.anyWord(timePatternsOf(words), this.#letters!)
    if (!this.#likely.test(piece)) return []
    this.#time ??= new RegExp(this.#patterns.any(timePatternsOf(words)), 'gu')
    return piece.match(this.#time) ?? []
  }
}

/** Returns an expression of a letter that every time of a language has which has no digit. */
function lettersOf(language: Language): string {
  const script = scriptOf(language)
  return LETTERS[script!] ?? `\\p{Script=${script}}`
}

const LETTERS: Readonly<Record<string, string>> = {
  Hans: '\\p{Script=Han}',
  Jpan: '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]',
  Kore: '[\\p{Script=Hangul}\\p{Script=Han}]',
}

const SENTENCE_END = /(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+/u
/** The expressions for times are for texts of this length. */
const PIECE = new RegExp(`.{1,${LONGEST_READ}}`, 'gsu')
