import { withoutPauses } from '../pauses.js'
import { fold } from './fold.js'

/**
 * Scripts that put no spaces between words, or none before what ends a word: a number or an address beside one of their letters
 * begins or ends there ("カード4111…です").
 */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc`

/** Classes, for patterns with the flag `v`: letters of all other scripts, and what is part of a word of them. */
export const LETTER = String.raw`[\p{L}--[${UNSPACED}]]`
export const WORD = String.raw`[[\p{L}\p{N}_]--[${UNSPACED}]]`

/** A text folded at once: for patterns, which are written in the spelling that people use, and for short texts. */
export function folded(text: string): string {
  return withoutPauses(fold(text)).text
}

/**
 * Returns a pattern for any of these words, which are patterns in ordinary spelling with commas between; those of unspaced scripts may stand anywhere in a
 * sentence. For the flags `iv`.
 */
export function anyOf(list: string): string {
  const words = list.trim().split(/,\s+/)
  const spaced = words.filter((word) => !IS_UNSPACED.test(word))
  const unspaced = words.filter((word) => IS_UNSPACED.test(word))
  const alternatives = [`(?<!${LETTER})(?:${folded(spaced.join('|'))})(?!${LETTER})`, ...unspaced.map(folded)]
  return `(?:${alternatives.join('|')})`
}

const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'v')
