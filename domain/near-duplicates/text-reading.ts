import { analyseInSteps, plainText, segmentedWords, withoutApostrophes } from '../text/analysis.js'
import { normaliseUnicode } from '../text/characters.js'
import calendar from '../text/english-calendar.json' with { type: 'json' }
import type { Language } from '../text/language.js'
import { createLexicon, type PlainText } from '../text/lexicon.js'
import { nameKey } from '../text/memory-text.js'
import { isCommonWord } from '../text/names/common-words.js'
import { namesIn } from '../text/names/names-in.js'
import { REVERSALS, withWholeDenials } from '../text/negations.js'
import numberWords from '../text/number-words.json' with { type: 'json' }
import quantifiers from '../text/quantifiers.json' with { type: 'json' }
import { UNSPACED } from '../text/segments.js'
import { STOP_WORDS, wordsIn } from '../text/words.js'
import type { Yielding } from '../yielding.js'
import { timesIn } from './times-in.js'

/** Holds what comparisons read of one text. Each part is read when a comparison first needs it, and kept for the next one. */
export class TextReading {
  readonly #kept = new Map<string, unknown>()

  /** `language` is null where it is uncertain. */
  constructor(
    readonly text: string,
    readonly language: Language | null,
  ) {}

  #once<T>(part: string, read: () => T): T {
    if (!this.#kept.has(part)) this.#kept.set(part, read())
    return this.#kept.get(part) as T
  }

  /** The languages that it is read in. */
  get languages(): readonly Language[] {
    return this.#once('languages', () => (this.language === null ? languagesByWords(this.text) : [this.language]))
  }

  get #plain(): string {
    return this.#once('plain', () => plainText(this.text))
  }

  get folded(): string {
    return this.#once('folded', () => withoutApostrophes(this.#plain))
  }

  /** Words of the folded text, in its order. */
  get words(): readonly string[] {
    return this.#once('words', () => [...segmentedWords(this.folded)])
  }

  get #lexical(): PlainText {
    return this.#once('lexical', () => {
      const negated = withWholeDenials(this.#plain)
      return { plain: this.#plain, words: negated === this.folded ? this.words : [...segmentedWords(negated)] }
    })
  }

  get quantities(): string {
    return this.#once('quantities', () => quantitiesOf(this.text))
  }

  get signs(): string {
    return this.#once('signs', () => (this.text.match(SIGNS) ?? []).join(' '))
  }

  numberWords(languages: readonly Language[]): string {
    return this.#once(`numbers ${languages.join()}`, () => NUMBER_LEXICON.in(this.#lexical, languages).join(' '))
  }

  negations(languages: readonly Language[]): number {
    return this.#once(`negations ${languages.join()}`, () => REVERSALS.in(this.#lexical, languages).length)
  }

  /** Returns how many words restrict what is said, such as "only". */
  restrictions(languages: readonly Language[]): number {
    return this.#once(`restrictions ${languages.join()}`, () => ONLY_LEXICON.in(this.#lexical, languages).length)
  }

  /** Returns the shares that it speaks of, such as `all` and `some`. */
  shares(languages: readonly Language[]): readonly string[] {
    return this.#once(`shares ${languages.join()}`, () =>
      SHARE_LEXICONS.flatMap(([share, lexicon]) => (lexicon.in(this.#lexical, languages).length > 0 ? [share] : [])),
    )
  }

  get englishTimes(): string {
    return this.#once('English times', () => {
      const words = wordsIn(this.folded).map((word) => (CALENDAR.has(word) ? word : word.replace(/s$/, '')))
      return words.filter((word) => CALENDAR.has(word)).join(' ')
    })
  }

  times(language: Language): string {
    return this.#once(`times ${language}`, () => timesIn(this.text, language))
  }

  /** Names between single spaces, but dates, which are among the times. */
  get names(): readonly string[] {
    return this.#once('names', () => namesIn(this.text, null, this.language).map(({ name }) => spacedWords(name)))
  }

  /** Words between single spaces, so that a name is only found as whole words. */
  get spacedWords(): string {
    return this.#once('spaced', () => spacedWords(this.text))
  }

  /**
   * Returns the terms of the text. English function words are left out only if English is among `languages`: `an` is a year in French. Pairs of
   * Chinese characters that are no words are left out: one inserted word would change them.
   */
  *contentTerms(languages: readonly Language[]): Yielding<readonly string[]> {
    const terms = yield* this.#termsWithoutStopWords()
    return languages.includes('en') ? terms : this.#withStopWords(terms)
  }

  *#termsWithoutStopWords(): Yielding<readonly string[]> {
    if (!this.#kept.has('content')) {
      for (const read of [() => this.folded, () => this.words]) {
        read()
        yield
      }
      const words = new Set(this.words)
      const isContent = (term: string) => !STOP_WORDS.has(term) && (!HAN_PAIR.test(term) || words.has(term))
      const { terms } = yield* analyseInSteps(this.text, 'en')
      this.#kept.set('content', [...new Set(terms.filter(isContent))])
    }
    return this.#kept.get('content') as readonly string[]
  }

  #withStopWords(terms: readonly string[]): readonly string[] {
    return this.#once('stop words', () => [
      ...new Set([...terms, ...this.words.filter((word) => STOP_WORDS.has(word))]),
    ])
  }
}

/**
 * Returns the languages that a text in an uncertain one is read in: English if most of its words are English, else all. To tell too many texts
 * apart costs less than to lose one.
 */
function languagesByWords(text: string): readonly Language[] {
  const words = wordsIn(text)
  const common = words.filter((word) => isCommonWord(word)).length
  return common >= ENGLISH_SHARE * words.length ? ['en'] : KNOWN_LANGUAGES
}

/** Share of English words in an English text; short words are words of several languages. */
const ENGLISH_SHARE = 0.75

const NUMBER_LEXICON = createLexicon(numberWords)
const { only, ...shares } = quantifiers
const ONLY_LEXICON = createLexicon(only)
const SHARE_LEXICONS = Object.entries(shares).map(([share, table]) => [share, createLexicon(table)] as const)
/** The languages whose negations are known. */
export const KNOWN_LANGUAGES = REVERSALS.languages

const NUMBER_WORDS = `zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|double|twice|first|second|third`
/** Matches a number with its sign, currency, and the unit or word after it; in a script without spaces the letter. */
const QUANTITY = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])[-+])?[$\u20ac\u00a3\u00a5]?(?:\p{N}+(?:[.,:/]\p{N}+)*|\b(?:${NUMBER_WORDS})\b)(?:[%\u00b0]|\s?(?:${UNSPACED.source}|\p{L}{1,20}))?`,
  'giu',
)

/** Digits that NFKC makes those of the number before them: 10² is not 102. */
const RAISED_OR_LOWERED = /[\u00b2\u00b3\u00b9\u2070-\u209c]+/g

function quantitiesOf(text: string): string {
  const spaced = text.replace(RAISED_OR_LOWERED, '^$&').replace(/\s+/g, ' ')
  return (normaliseUnicode(spaced, 'NFKC').toLowerCase().match(QUANTITY) ?? [])
    .map((found) => found.replace(/\s/g, ''))
    .join(' ')
}

/** Matches signs such as `+`, `<=`, `≠` and `||`, and a `!` that negates what follows. */
const SIGNS = /\p{Sm}+|&&|(?<![\p{L}\p{N}!])!(?=[\p{L}\p{N}_(])/gu

const CALENDAR = new Set(
  `${calendar.weekdays} ${calendar.months} yesterday today tomorrow tonight morning noon afternoon evening night am pm last next before after`.split(
    /\s+/,
  ),
)

function spacedWords(text: string): string {
  return ` ${wordsIn(nameKey(text)).join(' ')} `
}

const HAN_PAIR = /^\p{Script=Han}{2}$/u
