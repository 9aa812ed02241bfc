import type { Language } from '../text/language.js'
import table from './token-rates.json' with { type: 'json' }

/** Tokens of each word, and of each of its letters. */
type Rates = readonly [word: number, letter: number]

const LANGUAGES = table.languages as unknown as Readonly<Record<Language, Rates>>
const SCRIPTS = table.scripts as unknown as Readonly<Record<string, Rates>>
const OTHERS = table.others as unknown as Rates

const WORD = /[\p{L}\p{M}]+/gu
const DIGITS = /\p{N}+/gu
const SIGNS = /[^\p{L}\p{M}\p{N}\s]+/gu
const DIGITS_OF_TOKEN = 3
/** Tokens of each further sign of a row of them. */
const FURTHER_SIGN = 0.4

/**
 * Estimates the tokens of a text in o200k_base, from its words, letters, digits and signs at the rates of its language. The rates were fitted on the
 * Universal Declaration of Human Rights and the facts of `bench multilingual` (bench/README.md); of texts of both kinds it is within 7 %.
 * English is assumed where the language is not known.
 */
export function estimateTokens(text: string, language: Language | null): number {
  const [perWord, perLetter] = ratesOf(language ?? 'en')
  let tokens = 0
  for (const [word] of text.matchAll(WORD)) tokens += perWord + perLetter * word.length
  for (const [digits] of text.matchAll(DIGITS)) tokens += Math.ceil(digits.length / DIGITS_OF_TOKEN)
  for (const [signs] of text.matchAll(SIGNS)) tokens += 1 + FURTHER_SIGN * (signs.length - 1)
  return tokens
}

function ratesOf(language: Language): Rates {
  return LANGUAGES[language] ?? SCRIPTS[new Intl.Locale(language).maximize().script ?? ''] ?? OTHERS
}
