import { type RawBuilder, sql } from 'kysely'
import { nameKey } from '../../domain/text/memory-text.js'

const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts that write words without spaces between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
/** Matches a sign that may stand around and between words: no letter or digit, or an escape of JSON. */
const GAP = String.raw`(?:[^[:alnum:]]|\\[nrtbf])`

/**
 * Returns a regular expression of PostgreSQL that matches the name as whole words in any case, with whatever stands between its words:
 * "Ada Lovelace" in `ada-lovelace`, `ADA_LOVELACE` and `{"note":"Ada\nLovelace"}`. The letters bring their cases with them, since
 * what PostgreSQL knows of these depends on the locale of the database.
 */
function namePattern(name: string): string {
  const words = nameKey(name).match(WORD)
  // A name of signs alone is matched as it is.
  if (!words) return [...name].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const begins = UNSPACED.test(words[0]!) ? '' : `(?:^|${GAP})`
  const ends = UNSPACED.test(words.at(-1)!) ? '' : `(?:$|${GAP})`
  return begins + words.map(inAnyCase).join(`${GAP}{0,8}`) + ends
}

function inAnyCase(word: string): string {
  return [...word].map((letter) => `[${[...new Set([letter, ...letter.toUpperCase()])].join('')}]`).join('')
}

/** Returns the condition that a text, in compatibility form, names one of these. */
export function isNaming(text: RawBuilder<unknown>, names: readonly string[]): RawBuilder<boolean> {
  // Texts of ASCII, which most are, need no other form.
  const read = sql`case when octet_length(${text}) = length(${text}) then ${text} else normalize(${text}, nfkc) end`
  return sql<boolean>`(${read}) ~ ${names.map((name) => `(?:${namePattern(name)})`).join('|')}`
}
