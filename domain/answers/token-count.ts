import type { Language } from '../text/language.js'
import { scriptOf } from '../text/languages-of-scripts.js'
import table from './token-rates.json' with { type: 'json' }

/** Tokens of each word, and of each of its letters. */
type Rates = readonly [word: number, letter: number]

const LANGUAGES = table.languages as unknown as Readonly<Record<Language, Rates>>
const SCRIPTS = table.scripts as unknown as Readonly<Record<string, Rates>>
const OTHERS = table.others as unknown as Rates
/** Rates of words in a text of another script. */
const FOREIGN: Readonly<Record<string, Rates>> = { ...SCRIPTS, Latn: LANGUAGES.en! }

/** Matches a word of one script: "GPU显卡" is two. */
const WORD = /[\p{sc=Latin}\p{M}]+|(?:(?!\p{sc=Latin})[\p{L}\p{M}])+/gu
/** Matches a capital within a word, as in `getUserId`: a token ends before it. */
const INNER_CAPITAL = /(?<=\p{Ll})\p{Lu}/gu
const DIGITS = /\p{N}+/gu
const SIGNS = /[^\p{L}\p{M}\p{N}\s]+/gu
const DIGITS_OF_TOKEN = 3
/** Tokens of each further sign of a row of them. */
const FURTHER_SIGN = 0.4
/** Letters of the longest words that the rates were fitted on, in scripts with spaces; each further one is so many tokens, as in encoded data. */
const LONGEST_WORD = 20
const FURTHER_LETTER = 0.3

/** Scripts by their letters. A language is written in those of its code in ISO 15924. */
const LETTERS: readonly (readonly [script: keyof typeof table.scripts, letter: RegExp, of: readonly string[]])[] = [
  ['Latn', /\p{sc=Latin}/u, ['Latn']],
  ['Cyrl', /\p{sc=Cyrillic}/u, ['Cyrl']],
  ['Hani', /\p{sc=Han}/u, ['Hans', 'Hant', 'Jpan', 'Kore']],
  ['Kana', /[\p{sc=Hiragana}\p{sc=Katakana}]/u, ['Jpan']],
  ['Hang', /\p{sc=Hangul}/u, ['Kore']],
  ['Arab', /\p{sc=Arabic}/u, ['Arab']],
  ['Deva', /\p{sc=Devanagari}/u, ['Deva']],
  ['Thai', /\p{sc=Thai}/u, ['Thai']],
  ['Hebr', /\p{sc=Hebrew}/u, ['Hebr']],
]
const LATIN = LETTERS[0]!
const LAST_LATIN = 0x24f

/**
 * Estimates the tokens of a text in o200k_base, from its words, letters, digits and signs at the rates of its language. The rates were fitted on the
 * Universal Declaration of Human Rights and the facts of `bench multilingual` (bench/README.md); of texts of both kinds it is within 7 %.
 * English is assumed where the language is not known. Words of another script than the language's have the rates of their script.
 */
export function estimateTokens(text: string, language: Language | null): number {
  const own = language ?? 'en'
  const script = scriptOf(own) ?? ''
  const rates = LANGUAGES[own] ?? SCRIPTS[script] ?? OTHERS
  let tokens = 0
  for (const [word] of text.matchAll(WORD)) {
    const found = word.charCodeAt(0) <= LAST_LATIN ? LATIN : LETTERS.find(([, letter]) => letter.test(word))
    const [perWord, perLetter] = found === undefined || found[2].includes(script) ? rates : FOREIGN[found[0]]!
    tokens += perWord + perLetter * word.length
    if (perWord > 0) tokens += FURTHER_LETTER * Math.max(0, word.length - LONGEST_WORD)
  }
  tokens += text.match(INNER_CAPITAL)?.length ?? 0
  for (const [digits] of text.matchAll(DIGITS)) tokens += Math.ceil(digits.length / DIGITS_OF_TOKEN)
  for (const [signs] of text.matchAll(SIGNS)) tokens += 1 + FURTHER_SIGN * (signs.length - 1)
  return tokens
}
