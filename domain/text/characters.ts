import table from './letters.json' with { type: 'json' }
import { ASCII_TEXT } from './words.js'

/**
 * Matches a run of characters that normalisation sorts after another one; the last two are halfwidth forms of such
 * marks.
 */
const LONG_RUN = /(?:(?!\u034f)[\p{M}\uff9e\uff9f]){30}(?=(?!\u034f)[\p{M}\uff9e\uff9f])/gu
/** Texts below this length are normalised within 1 ms even when they consist of marks only. */
const SHORT_TEXT = 1_000
/** COMBINING GRAPHEME JOINER: marks are not reordered across it. */
const JOINER = '\u034f'

/**
 * Normalises like `String.normalize`, on the text in Stream-Safe Text Format (UAX #15 section 13): no more than 30
 * marks in a row are sorted at a time, since sorting is quadratic in their number (a letter with 120,000 of two kinds
 * took 17 s). No word has as many.
 */
export function normaliseUnicode(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  const safe = text.length < SHORT_TEXT ? text : text.replace(LONG_RUN, `$&${JOINER}`)
  return safe.normalize(form)
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g

/** Returns the number of characters of a text, as the contract counts them: code points. */
export function characterCount(text: string): number {
  return text.length - (text.match(PAIR)?.length ?? 0)
}

/** Matches the half of a character that a cut between UTF-16 units leaves: neither PostgreSQL's jsonb nor an engine takes it. */
const TRAILING_HALF = /[\ud800-\udbff]$/

/** Returns a text that was cut after so many UTF-16 units without the half of a character at its end. */
export function withoutHalfCharacter(cut: string): string {
  return cut.replace(TRAILING_HALF, '')
}

/** Returns a copy: a slice keeps the whole text that it was cut from in memory. */
export function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

/** Matches a character that can be read: no white space, control or format character, and none that is drawn as nothing. */
const READABLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns true for a text that is empty to whoever reads it. The contract's patterns say the same. */
export function isBlank(text: string): boolean {
  return !READABLE.test(text)
}

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
