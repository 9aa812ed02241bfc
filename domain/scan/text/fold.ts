import { decodeHTMLStrict } from 'entities'
import { PLAIN } from '../../personal-data/normalise.js'
import { normalised } from '../../personal-data/words.js'
import { LATIN_LOOKS_LIKE, LOOKS_LIKE } from './confusables.js'

/**
 * Returns a text as its reader understands it: entities and escapes decoded, NFKC, invisible characters removed, letters that look like
 * ASCII ones replaced inside words that mix scripts, letters that were spaced out joined. Lines stay lines; positions change.
 */
export function foldText(original: string): string {
  const lines = original.includes('\r') ? original.replaceAll('\r\n', '\n') : original
  return joinSpacedLetters(dropMarksInWords(foldHomoglyphs(normaliseLines(decodeEscapes(decodeEntities(lines))))))
}

/** Normalises the lines that need it: those of plain ASCII cost one test. */
function normaliseLines(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .split('\n')
    .map((line) => (PLAIN.test(line) ? line : normalised(line)))
    .join('\n')
}

function decodeEntities(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text
}

/** Runs of escapes of a string: `\u0069`, `\u{69}`, `\x69`, and octal ones. A single escape is ordinary. */
const ESCAPES = /(?:\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[0-3][0-7]{2}){2,}/gi
const ESCAPE = /\\u\{?([0-9a-f]{1,6})\}?|\\x([0-9a-f]{2})|\\([0-3][0-7]{2})/gi

function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPES, (run) =>
    run.replace(ESCAPE, (_escape, unicode?: string, hex?: string, octal?: string) => {
      const code = octal === undefined ? parseInt(unicode ?? hex ?? '0', 16) : parseInt(octal, 8)
      return code === 0 || code > 0x10ffff ? ' ' : String.fromCodePoint(code)
    }),
  )
}

const WORD = /[\p{L}\p{M}\p{Nd}]+/gu

/** Replaces letters that look like ASCII ones: in words that mix them with ASCII letters, and in words that consist of them alone. */
function foldHomoglyphs(text: string): string {
  if (PLAIN.test(text)) return text
  const isMostlyLatin = isMostlyAscii(text)
  return text.replace(WORD, (word) => {
    if (PLAIN.test(word)) return word
    const isDisguise = /[a-z]/i.test(word) || (isMostlyLatin && [...word].every((letter) => LOOKS_LIKE.has(letter)))
    const table = isDisguise ? LOOKS_LIKE : LATIN_LOOKS_LIKE
    return Array.from(word, (letter) => table.get(letter) ?? letter).join('')
  })
}

/** Returns whether at least half of the letters are ASCII ones. */
function isMostlyAscii(text: string): boolean {
  const letters = text.replace(/\P{L}+/gu, '')
  return letters.replace(/[^a-z]+/gi, '').length * 2 > letters.length
}

/** Removes emphasis and empty tags inside a word ("ig**no**re", "ig<b></b>nore"): they are not seen once the text is rendered. */
function dropMarksInWords(text: string): string {
  return text
    .replace(/(?<=\p{L})(?:\*{1,3}|<\/?(?:b|i|em|strong|span|u|s|wbr|sub|sup)>){1,4}(?=\p{L})/gu, '')
    .replace(/(?<=\p{L})<!--[^<>]{0,40}-->(?=\p{L})/gu, '')
}

/** Matches letters with one and the same separator between them: "i g n o r e", "i.g.n.o.r.e", "r-m". At least five letters. */
const SPACED = /(?<![\p{L}\p{N}])\p{L}([ .\-_*·|/+])\p{L}(?:\1\p{L}){3,}(?![\p{L}\p{N}])/gu

function joinSpacedLetters(text: string): string {
  return text.replace(SPACED, (run, separator: string) => run.replaceAll(separator, ''))
}

const LEET_WORD = /[a-z0-9@$!|]{4,24}/gi

/**
 * Returns the lines in which digits and signs stand for letters ("1gn0r3 pr3v10us"), as they are and as they are read. The other lines are
 * empty, so that lines keep their numbers. Returns null where there are none.
 */
export function foldLeet(text: string): { readonly written: string; readonly read: string } | null {
  const written: string[] = []
  const read: string[] = []
  let isAny = false
  for (const line of text.split('\n')) {
    const folded = line.replace(LEET_WORD, (word) =>
      isLeet(word) ? Array.from(word, (sign) => LEET[sign] ?? sign).join('') : word,
    )
    isAny ||= folded !== line
    written.push(folded === line ? '' : line)
    read.push(folded === line ? '' : folded)
  }
  return isAny ? { written: written.join('\n'), read: read.join('\n') } : null
}

/** Returns whether a word mixes letters and digits otherwise than as names with a number at an end do. */
function isLeet(word: string): boolean {
  return (
    /[a-z]/i.test(word) &&
    /[013457@$!]/.test(word) &&
    !/^[a-z]+[\d@$!|]{1,4}$/i.test(word) &&
    (!/^\d/.test(word) || /^\d[a-z]/i.test(word))
  )
}

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
}
