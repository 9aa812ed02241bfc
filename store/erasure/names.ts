import { type RawBuilder, sql } from 'kysely'
import { nameKey } from '../../domain/text/memory-text.js'
import { isUnspaced } from '../../domain/text/segments.js'

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** A letter of a name in lower case, as which `İ` has a dot that combines. */
const LETTER = /i\u0307|./gu
/** Turkish has two letters of what is one elsewhere, and a name in capitals may be of either. */
const CASES_OF_I = ['i\u0307', 'i', 'ı', 'I', 'İ']
/** Matches a sign that may stand around and between words: no letter or digit, or an escape of JSON. */
const WORD_SEPARATOR = String.raw`(?:[^[:alnum:]]|\\[nrtbf]|\\u00[01][0-9a-fA-F])`
/** Characters that nobody sees within a word, which is the same without them: first and last of each range. */
const INVISIBLE_RANGES = [
  ...[[0xad], [0x61c], [0x180e], [0x200b, 0x200f], [0x202a, 0x202e], [0x2060, 0x2064], [0x2066, 0x206f], [0xfeff]],
  ...[[0xe0001], [0xe0020, 0xe007f]],
] as const
const INVISIBLE = INVISIBLE_RANGES.flatMap(([first, last = first]) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)),
).join('')

/**
 * Returns a regular expression of PostgreSQL that matches the name as whole words in any case, with whatever stands between its words:
 * "Ada Lovelace" in `ada-lovelace`, `ADA_LOVELACE` and `{"note":"Ada\nLovelace"}`. The letters bring their cases with them, since
 * what PostgreSQL knows of these depends on the locale of the database.
 */
function namePattern(name: string): string {
  const words = nameKey(name).match(WORD)
  // A name of signs alone is matched as it is.
  if (!words) return [...name].map((sign) => `\\U${sign.codePointAt(0)!.toString(16).padStart(8, '0')}`).join('')
  const begins = isUnspaced(words[0]!) ? '' : `(?:^|${WORD_SEPARATOR})`
  const ends = isUnspaced(words.at(-1)!) ? '' : `(?:$|${WORD_SEPARATOR})`
  return begins + words.map(inAnyCase).join(`${WORD_SEPARATOR}{0,8}`) + ends
}

function inAnyCase(word: string): string {
  return (word.match(LETTER) ?? []).map(casesOf).join('')
}

/** Returns the cases of a letter; that of ß has two letters. */
function casesOf(letter: string): string {
  const cases = CASES_OF_I.includes(letter)
    ? CASES_OF_I
    : [letter, letter.toUpperCase()].map((one) => one.normalize('NFKC'))
  return `(?:${[...new Set(cases)].join('|')})`
}

/** Returns the condition that a text, in compatibility form and without what is invisible, names one of these. */
export function isNaming(text: RawBuilder<unknown>, names: readonly string[]): RawBuilder<boolean> {
  // Texts of ASCII, which most are, need no other form.
  const read = sql`case when octet_length(${text}) = length(${text}) then ${text}
    else normalize(translate(${text}, ${INVISIBLE}, ''), nfkc) end`
  return sql<boolean>`(${read}) ~ ${names.map((name) => `(?:${namePattern(name)})`).join('|')}`
}
