import { decodePercent } from '../../personal-data/decode-percent.js'
import type { Reading } from './reading.js'

/** A text that another one hides in an encoding. */
export interface Decoded {
  readonly text: string
  readonly how: string
  /** Where it stands. */
  readonly at: number
  /** Nothing beside it says to decode it. */
  readonly isUnasked: boolean
}

/** A text is decoded in this many places, and what is decoded has this many characters together. */
const MOST = 48
const MOST_CHARACTERS = 64_000
/** Bounds how far an instruction to decode may stand from what it is about. */
const BESIDE = 500

interface Encoding {
  readonly how: string
  readonly pattern: RegExp
  readonly decode: (encoded: string) => string | null
}

const ENCODINGS: readonly Encoding[] = [
  {
    how: 'base64',
    pattern:
      /(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{4}){4,}[A-Za-z0-9+/_-]{0,3}={0,2}(?:\s?\n\s*(?:[A-Za-z0-9+/_-]{4}){2,}[A-Za-z0-9+/_-]{0,3}={0,2}){0,200}/g,
    decode: fromBase64,
  },
  { how: 'hexadecimal', pattern: /(?<![\w])(?:0x)?(?:[0-9a-f]{2}[ :,]?){8,}(?![\w])/gi, decode: fromHex },
  { how: 'base32', pattern: /(?<![\w])[A-Z2-7]{24,}={0,6}(?![\w=])/g, decode: fromBase32 },
  {
    how: 'percent-encoding',
    pattern: /\S{0,200}(?:%[0-9a-f]{2}\S{0,12}){4,400}/gi,
    decode: (encoded) => changed(encoded, decodePercent(encoded)),
  },
  { how: 'character codes', pattern: /(?<![\w.])\d{2,3}(?:[ ,;]{1,3}\d{2,3}){7,2000}(?![\w.])/g, decode: fromCodes },
  { how: 'binary', pattern: /(?<![01])[01]{8}(?:[ ,]?[01]{8}){3,800}(?![01])/g, decode: fromBinary },
]

/** Returns what is encoded in a text: with an instruction to decode beside it, or readable and long without one. */
export function decodeAll(reading: Reading): Decoded[] {
  // What is encoded inside something that was to be decoded is to be decoded too.
  const isInherited = reading.origin !== null && !reading.origin.isUnasked
  const found: Decoded[] = []
  const asked = reading.hits.filter(({ concept }) => concept === 'decode')
  let left = MOST_CHARACTERS
  for (const { how, pattern, decode } of ENCODINGS)
    for (const match of reading.text.matchAll(pattern)) {
      if (found.length >= MOST || left <= 0) return found
      const isUnasked =
        !isInherited &&
        !asked.some(
          ({ start, end }) => start - (match.index + match[0].length) <= BESIDE && match.index - end <= BESIDE,
        )
      if (isUnasked && (how !== 'base64' || match[0].length < 24)) continue
      const text = decodeReadable(match[0].slice(0, MOST_CHARACTERS), decode)
      if (text === null) continue
      left -= text.length
      found.push({ text: text.slice(0, MOST_CHARACTERS), how: `decoded from ${how}`, at: match.index, isUnasked })
    }
  if (asked.length > 0) found.push(...ciphers(reading, asked, left))
  return found
}

/** Decodes all lines, or the first alone: the next may be a sentence. */
function decodeReadable(encoded: string, decode: Encoding['decode']): string | null {
  for (const part of new Set([encoded, encoded.split('\n', 1)[0]!.trimEnd()])) {
    const text = decode(part)
    if (text !== null && isReadable(text)) return text
  }
  return null
}

interface Cipher {
  /** A word that asks to undo it. */
  readonly word: RegExp
  readonly how: string
  readonly undo: (text: string) => string
}

const CIPHERS: readonly Cipher[] = [
  { word: /rot|caesar/, how: 'decoded from rot13', undo: rot13 },
  {
    word: /revers|backward|rückw|umgekehrt|envers|revés|contrário|trás|наоборот|задом|переверн|разверн|反|倒|逆|後ろ|عكس|обратн|right to left|al contrario|achterste|거꾸로|od tyłu/,
    how: 'read backwards',
    undo: reversedParts,
  },
]
const MOST_CIPHERED = 8

/** Undoes rot13 and reversal in the lines around a word that asks for it. */
function ciphers(reading: Reading, asked: readonly { start: number; end: number }[], left: number): Decoded[] {
  return CIPHERS.flatMap(({ word, how, undo }) => {
    const found: Decoded[] = []
    let until = -1
    for (const { start, end } of asked) {
      if (found.length >= MOST_CIPHERED || left <= 0) break
      if (start < until || !word.test(reading.lower.slice(start, end))) continue
      const text = reading.text.slice(Math.max(0, start - BESIDE), end + BESIDE)
      until = end + BESIDE / 2
      left -= text.length
      found.push({ text: undo(text), how, at: start, isUnasked: false })
    }
    return found
  })
}

/** Reverses each line as a whole: quoted parts come out readable either way. */
function reversedParts(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => [
      Array.from(line).reverse().join(''),
      ...quotedParts(line).map((part) => Array.from(part).reverse().join('')),
    ])
    .join('\n\n')
}

function quotedParts(line: string): string[] {
  return [...line.matchAll(/["'`]([^"'`\n]{6,400})["'`]|:\s{1,3}([^:\n]{8,400})$/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  )
}

export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function changed(before: string, after: string): string | null {
  return after === before ? null : after
}

function fromBase64(encoded: string): string | null {
  const plain = encoded.replace(/\s/g, '')
  // Names and paths consist of the same characters: what is encoded mixes cases or has digits.
  if (!/[A-Z]/.test(plain) || !/[a-z]/.test(plain)) return null
  const bytes = Buffer.from(plain, 'base64')
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  // PowerShell encodes UTF-16.
  if (bytes.length > 7 && bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0) return bytes.toString('utf16le')
  return bytes.toString('utf8')
}

function fromHex(encoded: string): string | null {
  const digits = encoded.replace(/^0x/i, '').replace(/[ :,]/g, '')
  return digits.length % 2 === 0 && digits.length >= 16 ? Buffer.from(digits, 'hex').toString('utf8') : null
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBase32(encoded: string): string | null {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const sign of encoded.replaceAll('=', '')) {
    value = ((value << 5) | BASE32.indexOf(sign)) & 0xffff
    bits += 5
    if (bits >= 8) bytes.push((value >> (bits -= 8)) & 0xff)
  }
  return Buffer.from(bytes).toString('utf8')
}

function fromCodes(encoded: string): string | null {
  const codes = encoded.split(/[ ,;]+/).map(Number)
  return codes.every((code) => (code >= 32 && code < 127) || code === 10)
    ? String.fromCharCode(...codes.slice(0, 4_000))
    : null
}

function fromBinary(encoded: string): string | null {
  const bytes = encoded.replace(/[ ,]/g, '').match(/[01]{8}/g) ?? []
  return Buffer.from(bytes.slice(0, 4_000).map((byte) => parseInt(byte, 2))).toString('utf8')
}

/** Returns whether the text is one that a person could have written: nearly all of it letters, digits and signs. */
function isReadable(text: string): boolean {
  if (text.length < 6) return false
  const sample = text.slice(0, 2_000)
  const odd = sample.match(/[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]/g)?.length ?? 0
  const letters = sample.match(/[\p{L}\p{N}\s./$:_-]/gu)?.length ?? 0
  return odd <= sample.length / 50 && letters >= sample.length * 0.7
}
