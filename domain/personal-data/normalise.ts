import type { Yielding } from '../yielding.js'

/**
 * A text as a person reads it, which patterns are matched against, and the positions of its characters in the original.
 */
interface NormalisedText {
  readonly text: string
  /**
   * Returns the range of the original that `start` to `end` of the normalised text comes from, marks on its last letter
   * included.
   */
  originalSpan(start: number, end: number): { readonly start: number; readonly end: number }
}

/** Characters that need no normalisation: most texts consist of them and cost one pass of a pattern. */
export const PLAIN = /^[\t\n\r\x20-\x7e]*$/

/**
 * Characters that are normalised between two yields, and how many of them one character counts for that is not cached
 * yet: it takes that much longer.
 */
const CHARACTERS_PER_STEP = 20_000
const UNCACHED_COST = 40

/**
 * Normalises what looks alike to ASCII: every kind of space, hyphen, digit and quotation mark, full width, ligatures,
 * letters with marks. Drops what is invisible: format characters, soft hyphens, variation selectors, control
 * characters. Scripts other than Latin stay.
 */
export function* normalise(original: string): Yielding<NormalisedText> {
  if (PLAIN.test(original)) return { text: original, originalSpan: (start, end) => ({ start, end }) }
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  // UTF-16 units that the last character became: marks that follow belong to each of them.
  let units = 0
  let at = 0
  let untilYield = CHARACTERS_PER_STEP
  for (const character of original) {
    const end = at + character.length
    const before = knownReadings.size
    const reading = readingOf(character)
    untilYield -= knownReadings.size === before ? 1 : UNCACHED_COST
    if (reading === null) ends.fill(end, ends.length - units)
    else if (reading !== '') {
      parts.push(reading)
      units = reading.length
      for (let i = 0; i < units; i++) {
        starts.push(at)
        ends.push(end)
      }
    }
    at = end
    if (untilYield <= 0) {
      untilYield = CHARACTERS_PER_STEP
      yield
    }
  }
  const text = parts.join('').replace(BETWEEN_DIGITS, separatorOf).replace(BESIDE_DIGIT, '-')
  return { text, originalSpan: (start, end) => ({ start: starts[start]!, end: ends[end - 1]! }) }
}

/**
 * Separators of digit groups, where a digit is on either side; elsewhere they are bullets, or a long vowel of Katakana.
 */
const BETWEEN_DIGITS = /(?<=\d)[\u00b7\u2022\u2027\u2219\u22c5\u30fb\u30fc](?=\d)/g
const separatorOf = (character: string) => (character === '\u30fc' ? '-' : '.')
/**
 * Dashes between words stay dashes ("Ana—ana@example.com"); next to a digit, or between two digits with spaces, they
 * are hyphens.
 */
const EM_DASH = '\u2014'
// eslint-disable-next-line regexp/no-dupe-disjunctions -- the rule does not compare what looks behind
const BESIDE_DIGIT = /(?<=\d)\u2014|\u2014(?=\d)|(?<=\d )\u2014(?= \d)/g

const knownReadings = new Map<string, string | null>()
const MOST_KNOWN = 8_192

/**
 * Returns what a character is normalised to: an empty string for an invisible one, null for a mark on the character
 * before it.
 */
function readingOf(character: string): string | null {
  if (PLAIN.test(character)) return character
  let reading = knownReadings.get(character)
  if (reading === undefined) {
    if (knownReadings.size >= MOST_KNOWN) knownReadings.clear()
    reading = computeReading(character)
    knownReadings.set(character, reading)
  }
  return reading
}

/** Longer decompositions are ornaments, such as a whole phrase in one Arabic character. */
const LONGEST_READING = 4

function computeReading(character: string): string | null {
  if (/^\p{M}$/u.test(character)) return null
  if (LINE_BREAK.test(character)) return '\n'
  if (/^[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u.test(character)) return ''
  if (character === NUMERO) return '#'
  // Strips the marks of letters; Hangul syllables are composed again.
  const bare = character
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
  const whole = bare.length === 0 || bare.length > LONGEST_READING ? character : bare
  return Array.from(whole, toLookAlike).join('')
}

const NUMERO = '\u2116'
const LINE_BREAK = /^[\u0085\u2028\u2029]$/

const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/^[\p{Zs}\u2800]$/u, ' '],
  // Hyphens and minus signs; real dashes are longer and separate words.
  [/^[\u058a\u05be\u1806\u2010\u2011\u02d7\u2043\u207b\u208b\u2212\u2796\u2500\u2501]$/u, '-'],
  [/^\p{Pd}$/u, EM_DASH],
  [/^[\u201c-\u201f\u00ab\u00bb\u300c-\u300f\u301d-\u301f]$/u, '"'],
  [/^[\u2018-\u201b\u2039\u203a\u02bc\u2032]$/u, "'"],
  [/^[\u02d0\u02f8\u05c3\u2236\ua789]$/u, ':'],
  [/^[\u2044\u2215\u29f8]$/u, '/'],
  [/^\u2795$/u, '+'],
  [/^\u066b$/u, '.'],
  [/^[\u066c\u060c\u3001]$/u, ','],
  [/^\u061b$/u, ';'],
]

function toLookAlike(character: string): string {
  if (PLAIN.test(character)) return character
  if (DIGIT.test(character)) return digitOf(character)
  return LOOK_ALIKES.find(([pattern]) => pattern.test(character))?.[1] ?? character
}

const DIGIT = /^\p{Nd}$/u

/** Returns the ASCII digit: every script has its ten digits in a row, in the order of their values. */
function digitOf(character: string): string {
  let before = 0
  for (let code = character.codePointAt(0)! - 1; DIGIT.test(String.fromCodePoint(code)); code--) before++
  return String(before % 10)
}
