import { normaliseUnicode } from './characters.js'
import table from './letters.json' with { type: 'json' }
import { ASCII_TEXT } from './words.js'

/**
 * Marks that a word may be written without. Those of other scripts, as of Devanagari and Thai, are vowels and tones: without
 * them words collide.
 */
const MARKS = new RegExp(`[${Object.values(table.marks).flat().join('')}]+`, 'gu')
/** Letters that Unicode does not decompose, or that have several forms, and how each is written here. */
const LETTERS: Readonly<Record<string, string>> = table.letters
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')

/** Returns a text in NFKC without the marks and the forms of letters that people leave out or write otherwise; keeps case. */
export function plainLetters(text: string): string {
  if (ASCII_TEXT.test(text)) return text
  const plain = normaliseUnicode(normaliseUnicode(text, 'NFD').replace(MARKS, ''), 'NFC')
  return plain.replace(LETTER, (letter) => LETTERS[letter]!)
}
