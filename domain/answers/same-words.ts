import { fold } from '../text/analysis.js'
import type { Language } from '../text/language.js'
import { stopWordsOf } from '../text/stop-words.js'
import { LONGEST_STATEMENT } from './statement.js'
import { statementWords } from './statement-words.js'

/**
 * Returns a text that is equal for two statements in the same words; null for a text that is no short statement. Beside white space, the mark of a list, a note in front
 * of it ("FYI: …"), a full stop at its end, "The" at its beginning and a sign for "is", each character counts: another sign, case, accent, number or line may
 * state something else. Texts of two languages are never equal.
 */
export function statementKey(text: string, language: Language | null): string | null {
  const read = language ?? 'en'
  const line = text.normalize('NFC').trim()
  if (line.length > LONGEST_STATEMENT || /[\n\r]/u.test(line)) return null
  const stated = withoutNote(line.replace(BULLET, '').replace(/\s+/gu, ' '), read)
  const words = withoutArticle(stated.replace(FULL_STOP, ''), read)
  return `${read} ${withSmallBeginning(withSignForIs(words, read))}`
}

/** Matches the mark of a list before a word, not the sign of a number. */
const BULLET = /^[-*\u2022]\s+(?=\p{L})/u
/** Matches a full stop after a whole number, or a word of two letters and more: a regular expression may end in `a.`, and a command in ` .`. */
const FULL_STOP =
  /(?<=(?:^|[\s"'(])\p{L}[\p{L}\p{M}]+|\s\p{N}+|\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}])[.\u3002]$/u
const FIRST_WORD = /^[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}'\u2019_.:/@#+-])/u

function withoutNote(text: string, language: Language): string {
  const [, note, rest] = /^([\p{L}\p{M}]+) ?[:\uff1a] ?(\S.*)$/u.exec(text) ?? []
  return note !== undefined && statementWords('notes', language).has(fold(note)) ? rest! : text
}

/** Returns an English text without "The" at its beginning, before a word that it does not change: "the few" are not few. */
function withoutArticle(text: string, language: Language): string {
  const [, word] = /^[Tt]he (\p{Ll}[\p{L}\p{M}]*)/u.exec(text) ?? []
  return language === 'en' && word !== undefined && !stopWordsOf('en').has(word) ? text.slice('the '.length) : text
}

/** Returns a text with one sign for the first "is" or its sign (`:`, `=`), whichever comes first, and without "now" after it. */
function withSignForIs(text: string, language: Language): string {
  const [copula] = statementWords('copulas', language)
  for (const { 0: found, index, groups } of text.matchAll(IS)) {
    const word = groups!.word
    if (word !== undefined && fold(word) !== copula) continue
    const [after] = /^ *(?:(\p{L}+) )?(?=\S)/u.exec(text.slice(index + found.length)) ?? ['']
    const isUpdate = after.trim() !== '' && statementWords('updates', language).has(after.trim())
    return `${text.slice(0, index)} = ${text.slice(index + found.length + (isUpdate ? after.length : 0)).trimStart()}`
  }
  return text
}

/** Matches a word between others, or a sign between a thing and its value. */
const IS = /(?<=\S)(?: (?<word>[\p{L}\p{M}]+)(?= \S)|(?<=[\p{L}\p{M}\p{N}]): (?=\S)| = (?=\S))/gu

/** Returns a text whose first word has a small letter, where only its place may give it a capital. */
function withSmallBeginning(text: string): string {
  const [word = ''] = FIRST_WORD.exec(text) ?? []
  return /^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() + text.slice(word.length) : text
}
