import { runToEnd } from '../yielding.js'
import { normalise } from './normalise.js'

/**
 * Scripts without spaces between words, or with particles attached to a word: a number or an address next to one of
 * their letters begins or ends there ("カード4111…です").
 */
export const UNDELIMITED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc`

/**
 * Character classes for patterns with the flag `v`: letters of all other scripts, and the characters of their words.
 */
export const LETTER = String.raw`[\p{L}--[${UNDELIMITED_SCRIPTS}]]`
export const WORD = String.raw`[[\p{L}\p{N}_]--[${UNDELIMITED_SCRIPTS}]]`

/**
 * Returns the normalised text without yielding: for patterns, which are written in ordinary spelling, and for short
 * texts.
 */
export function normalised(text: string): string {
  return runToEnd(normalise(text)).text
}

/**
 * Returns a pattern (for the flags `iv`) that matches any of these words, which are patterns in ordinary spelling
 * separated by commas. Words of undelimited scripts may occur anywhere in a sentence.
 */
export function anyOf(list: string): string {
  const words = list.trim().split(/,\s+/)
  const spaced = words.filter((word) => !IS_UNDELIMITED.test(word))
  const unspaced = words.filter((word) => IS_UNDELIMITED.test(word))
  const alternatives = [`(?<!${LETTER})(?:${normalised(spaced.join('|'))})(?!${LETTER})`, ...unspaced.map(normalised)]
  return `(?:${alternatives.join('|')})`
}

const IS_UNDELIMITED = new RegExp(`[${UNDELIMITED_SCRIPTS}]`, 'v')
