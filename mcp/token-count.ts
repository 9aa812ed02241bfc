import { COMMON_CHARACTERS } from './common-characters.js'
import { COMMON_WORDS } from './common-words.js'

/**
 * Most tokens that a character takes by the first code point beyond its range, for scripts without runs of their own: what random text of
 * the script takes, which is more than any language does. Latin letters beyond ASCII, Greek to Arabic, and so on; the rare ones take
 * as many as their UTF-8 has bytes.
 */
const MOST_OF_SCRIPT: readonly (readonly [end: number, tokens: number])[] = [
  [0x180, 1.5],
  [0x370, 2.1],
  [0x460, 1.2],
  [0x530, 2],
  [0x660, 1.2],
  [0x900, 2.6],
  [0xe80, 1.6],
  [0x13a0, 2.4],
  [0x1780, 3.1],
  [0x1800, 2.4],
  [0x1e00, 3.1],
  [0x3040, 2.6],
  [0x3100, 1.4],
  [0x3400, 2.4],
  [0x4e00, 3.2],
  [0xa000, 2.15],
  [0xac00, 3],
  [0xd7b0, 2.5],
  [0x10000, 3],
  [0x1f200, 4.2],
  [0x1f700, 2.4],
  [Infinity, 4.2],
]

/** First code point of those that `COMMON_CHARACTERS` are among. */
const FIRST_COMMON = 0x4e00

const LETTERS = 1
const CAPITALS = 2
const DIGITS = 3
const SPACES = 4
const SIGNS = 5
type Kind = typeof LETTERS | typeof CAPITALS | typeof DIGITS | typeof SPACES | typeof SIGNS

/** Kinds of the ASCII characters. */
const KINDS: readonly Kind[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return LETTERS
  if (/[A-Z]/.test(character)) return CAPITALS
  if (/[0-9]/.test(character)) return DIGITS
  return character === ' ' ? SPACES : SIGNS
})

/** Returns the most tokens of a character beyond ASCII. */
function tokensOfCharacter(point: number): number {
  if (point >= FIRST_COMMON && COMMON_CHARACTERS.has(String.fromCodePoint(point))) return 1
  return MOST_OF_SCRIPT.find(([end]) => point < end)![1]
}

/** Returns the most tokens of a run of characters of one kind. Three digits are one token; random letters are one for each two. */
function tokensOfRun(kind: Kind, length: number): number {
  switch (kind) {
    case LETTERS:
      return Math.max(1, 0.2 + 0.54 * length)
    case CAPITALS:
      return Math.max(1, 0.25 + 0.6 * length)
    case DIGITS:
      return Math.ceil(length / 3)
    case SPACES:
      return Math.max(length > 1 ? 1 : 0.4, 0.4 * length)
    case SIGNS:
      return 0.4 + 0.68 * length
  }
}

/**
 * Returns a bound on the tokens of a text, or a number above `enough` as soon as that is passed. Models have tokenizers of their own, which
 * cost 70 MB and, for one long word, seconds: this counts runs of characters of one kind, each at what random ones take in o200k_base.
 * English is counted at up to twice its tokens, and random bytes about right.
 */
export function tokenBoundOf(text: string, enough = Infinity): number {
  let tokens = 0
  let kind: Kind | null = null
  let length = 0
  let isAfterSpace = false
  for (let i = 0; i < text.length && tokens <= enough; i++) {
    const code = text.charCodeAt(i)
    const next = code < 128 ? KINDS[code]! : null
    if (next !== null && next === kind) {
      length++
      continue
    }
    // A word goes on with a letter of another script.
    if (kind === LETTERS && isAfterSpace && next !== null && COMMON_WORDS.has(text.slice(i - length, i))) tokens += 1
    else if (kind !== null) tokens += tokensOfRun(kind, length)
    isAfterSpace = kind === SPACES
    // A space goes with a word of ASCII letters after it, and with nothing else.
    if (kind === SPACES && next !== LETTERS && next !== CAPITALS) tokens += 0.6
    kind = next
    length = 1
    if (next === null) {
      const point = text.codePointAt(i)!
      if (point > 0xffff) i++
      tokens += tokensOfCharacter(point)
    }
  }
  return kind === null ? tokens : tokens + Math.max(1, tokensOfRun(kind, length))
}
