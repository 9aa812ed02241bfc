import { PLAIN } from '../../personal-data/normalise.js'
import type { Severity } from '../report.js'
import type { FindingCode } from '../finding-codes.js'
import { JOINED_LETTER } from '../../text/names/visible-name.js'
import { LOOKS_LIKE } from '../text/confusables.js'

/** Something that a text hides from its reader, found in the text as it is. */
export interface HiddenText {
  readonly code: FindingCode
  readonly severity: Severity
  readonly says: string
  readonly at: number
}

const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e01ef}]/gu
/** Scripts whose words are written without spaces: a zero-width space may stand between two. */
const ZERO_WIDTH_SPACED =
  /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Tibetan}]/u
const RIGHT_TO_LEFT = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u{1f1e6}-\u{1f1ff}]/u

/** Finds invisible characters, bidirectional controls, letters of other scripts inside words, control characters and gaps. */
export function findHiddenText(text: string): HiddenText[] {
  const found = findGaps(text)
  const control = text.search(CONTROL)
  if (control !== -1)
    found.push({
      code: 'hidden_control',
      severity: 'critical',
      says: 'has control characters that change what a terminal shows',
      at: control,
    })
  if (PLAIN.test(text)) return found
  found.push(...findInvisible(text), ...findHomoglyphs(text))
  return found
}

function findInvisible(text: string): HiddenText[] {
  const found = new Map<string, HiddenText>()
  let run = 0
  let last = -2
  for (const match of text.matchAll(INVISIBLE)) {
    run = match.index === last ? run + 1 : 1
    last = match.index + match[0].length
    const judged = judge(text, match.index, match[0], run)
    if (!judged) continue
    const before = found.get(judged.code)
    if (!before || (before.severity !== 'critical' && judged.severity === 'critical'))
      found.set(judged.code, { ...judged, at: match.index })
  }
  return [...found.values()]
}

type Judgement = Omit<HiddenText, 'at'> | null

const invisible = (severity: Severity, says: string): Judgement => ({ code: 'hidden_invisible', severity, says })

function judge(text: string, at: number, sign: string, run: number): Judgement {
  const code = sign.codePointAt(0)!
  const before = characterBefore(text, at)
  const after = characterAt(text, at + sign.length)
  if (code >= 0xe0000 && code <= 0xe007f)
    return isFlag(text, at) ? null : invisible('critical', 'has text in invisible tag characters')
  if (code >= 0xe0100)
    return run === 1 && /\p{sc=Han}/u.test(before)
      ? null
      : invisible('critical', 'has data in invisible variation selectors')
  if (code >= 0xfe00 && code <= 0xfe0f)
    return run === 1 || EMOJI.test(before) ? null : invisible('critical', 'has data in invisible variation selectors')
  if (isBidi(code)) return judgeBidi(text, at, code)
  if (code === 0x200d && (EMOJI.test(before) || EMOJI.test(after))) return null
  if ((code === 0x200c || code === 0x200d || code === 0x034f) && JOINED_LETTER.test(before)) return null
  if ((code === 0x200b || code === 0x2060) && (ZERO_WIDTH_SPACED.test(before) || ZERO_WIDTH_SPACED.test(after)))
    return null
  if (code === 0xfeff && at === 0) return null
  if (code === 0x2800)
    return /[\u2800-\u28ff]/.test(before + after) ? null : invisible('warn', 'has blank characters that are not spaces')
  if ((code >= 0x180b && code <= 0x180f && JOINED_LETTER.test(before)) || code === 0x17b4 || code === 0x17b5)
    return null
  if ((code === 0x115f || code === 0x1160) && /[\u1100-\u11ff]/.test(before + after)) return null
  if (code === 0x3164 || code === 0x115f || code === 0x1160 || code === 0xffa0)
    return /\p{sc=Hangul}/u.test(before + after) ? null : invisible('critical', 'has letters that show nothing')
  if (run >= 4) return invisible('critical', 'has a run of invisible characters')
  if (code === 0x00ad) return null
  const isInWord = /[a-z0-9]/i.test(before) && /[a-z0-9]/i.test(after)
  if (code >= 0xfff9 && code <= 0xfffb) return invisible('critical', 'has invisible annotations')
  return invisible(
    isInWord ? 'critical' : 'warn',
    isInWord ? 'has invisible characters inside words' : 'has invisible characters',
  )
}

function isBidi(code: number): boolean {
  return (
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    code === 0x200e ||
    code === 0x200f ||
    code === 0x061c
  )
}

/** Marks and isolates belong to scripts that are written from right to left; overrides turn text round and belong to nobody. */
function judgeBidi(text: string, at: number, code: number): Judgement {
  if (code === 0x202d || code === 0x202e)
    return { code: 'hidden_bidi', severity: 'critical', says: 'turns the direction of text round' }
  const before = text.slice(Math.max(0, at - 400), at)
  const line = before.slice(before.lastIndexOf('\n') + 1) + text.slice(at, at + 400).replace(/\n[^]*/, '')
  if (RIGHT_TO_LEFT.test(line)) return null
  if (code === 0x200e || code === 0x200f || code === 0x061c)
    return { code: 'hidden_bidi', severity: 'warn', says: 'has direction marks in text that needs none' }
  return { code: 'hidden_bidi', severity: 'critical', says: 'has direction controls in text that needs none' }
}

function characterBefore(text: string, at: number): string {
  const code = text.charCodeAt(at - 1)
  return code >= 0xdc00 && code <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at)
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

const LONGEST_FLAG = 16

/** Returns whether a tag character belongs to the flag of a region: a black flag, a short code, and the end tag. */
function isFlag(text: string, at: number): boolean {
  const near = Math.max(0, at - LONGEST_FLAG)
  const offset = text.slice(near, at).lastIndexOf('\u{1f3f4}')
  if (offset === -1) return false
  const from = near + offset
  return /^\u{1f3f4}[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,4}\u{e007f}/u.test(
    text.slice(from, from + LONGEST_FLAG + 2),
  )
}

/** Returns the text that tag characters spell, and what variation selectors encode as bytes; null when there is little. */
export function revealInvisible(text: string): string | null {
  if (PLAIN.test(text)) return null
  let revealed = ''
  const bytes: number[] = []
  for (const [sign] of text.matchAll(/[\ufe00-\ufe0f\u{e0020}-\u{e007e}\u{e0100}-\u{e01ef}]/gu)) {
    const code = sign.codePointAt(0)!
    if (code >= 0xe0100) bytes.push(code - 0xe0100 + 16)
    else if (code >= 0xe0020) revealed += String.fromCharCode(code - 0xe0000)
    else bytes.push(code - 0xfe00)
  }
  if (bytes.length > 4) revealed += `\n${Buffer.from(bytes).toString('utf8')}`
  return revealed.trim().length > 3 ? revealed : null
}

const WORD = /[\p{L}\p{M}]+/gu

/** Finds words that mix Latin letters with letters of other scripts that look like Latin ones. */
function findHomoglyphs(text: string): HiddenText[] {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (word.length < 3 || word.length > 60 || PLAIN.test(word) || !/[a-z]/i.test(word)) continue
    const others = Array.from(word.normalize('NFC')).filter((letter) =>
      /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}]/u.test(letter),
    )
    if (others.length === 0 || !others.every((letter) => LOOKS_LIKE.has(letter))) continue
    // An ending that a language with Cyrillic letters adds to a name ("APIшный"), and Greek letters of science ("kΩ", "μs").
    if (/^[a-z]{2,}[\p{sc=Cyrillic}]{1,4}$/iu.test(word) && hasWordsOf(text, index)) continue
    if (/[A-Z\d]/.test(word) && /^[a-z\p{sc=Greek}]+$/iu.test(word)) continue
    if (/^[\p{sc=Greek}]{1,2}[a-z]{1,4}$|^[a-z]{1,3}[\p{sc=Greek}]{1,2}$/iu.test(word)) continue
    // A line that names the script shows how such words look.
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index + 200).split('\n', 1)[0]!
    if (/\b(?:cyrillic|greek|homo(?:glyph|graph)s?|look-?alikes?|confusables?)\b/i.test(line)) continue
    return [
      {
        code: 'hidden_homoglyphs',
        severity: 'critical',
        says: 'has letters of another script inside Latin words, which look the same',
        at: index,
      },
    ]
  }
  return []
}

function hasWordsOf(text: string, at: number): boolean {
  return (text.slice(Math.max(0, at - 200), at + 200).match(/[\u0430-\u044f\u0451]{3,}/gi)?.length ?? 0) >= 3
}

/** Escape sequences, backspaces and lone carriage returns: a terminal shows something else than what is there. */
const CONTROL = /[\x00\x07\x08\x0e-\x1b\x7f\x90\x9b\x9d]|\r(?!\n)(?=[^\r\n])/

const LONG_BLANK = /[ \t\u00a0\u3000]{200,}|(?:\r?\n[ \t\u00a0\u3000]*){80,}/g

/** Finds text that is pushed out of sight by spaces or empty lines. The cells of a table are padded to one width. */
function findGaps(text: string): HiddenText[] {
  for (const { 0: blank, index } of text.matchAll(LONG_BLANK)) {
    const next = text[index + blank.length]
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index)
    if (next === undefined || next === '\n' || next === '\r' || (next === '|' && /^\s{0,8}\|/.test(line))) continue
    return [
      {
        code: 'hidden_style',
        severity: 'critical',
        says: 'has text that is pushed out of sight by blank space',
        at: index + blank.length,
      },
    ]
  }
  return []
}
