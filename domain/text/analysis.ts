import snowball from 'snowball-stemmers'
import { compoundParts } from './compounds.js'
import { STOP_WORDS } from './stop-words.js'
import { normalised } from './stream-safe.js'
import { ASCII, ASCII_WORDS, WORDS } from './words.js'

/**
 * The one English analysis of cairn: both engines index what it returns and the scoring reads the same, so that a term means
 * the same thing everywhere. Words are folded (NFKC, accents, case), split, freed of stop words and stemmed (Snowball
 * English). An identifier gives itself whole and its parts, and is the same however it is written: `prune_cart`, `prune-cart` and
 * `pruneCart` all give `prunecart`, `prune` and `cart`. Between digits a joint tells something: `1.23` is not `12.3`.
 *
 * Indices hold what this returned when their documents were written: a change of it raises the version of both engines (search/README.md).
 */
export function analyse(text: string): string[] {
  const terms: string[] = []
  for (const piece of piecesOf(text))
    for (const token of tokensIn(piece))
      for (const term of token.length > LONGEST_KEPT ? newTermsOf(token) : termsOf(token)) terms.push(term)
  return terms
}

/** As `analyse`, of a text of any length: calls `turn` now and then, which a process that serves others gives up its turn by. */
export async function analyseInPieces(text: string, turn: () => Promise<void> | undefined): Promise<string[]> {
  const terms: string[] = []
  for (const piece of piecesOf(text))
    for (const some of termsIn(piece)) {
      for (const term of some) terms.push(term)
      await turn()
    }
  return terms
}

/** Characters of a piece of a long text at least; twice as many at most. */
const PIECE = 4_096

/**
 * What is analysed at a time of a long text: cut behind white space or punctuation of which no rule of `analyse` sees both sides, and
 * which neither joins nor composes with anything, so that the terms are those of the whole. Where there is none far and wide (base64) it
 * is cut all the same, though never through a character.
 */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  let begin = 0
  while (text.length - begin > 2 * PIECE) {
    const found = text.slice(begin + PIECE, begin + 2 * PIECE).search(BREAK)
    const end = begin + PIECE + (found === -1 ? PIECE : found + 1)
    const piece = text.slice(begin, end).replace(HALF_AT_END, '')
    yield piece
    begin += piece.length
  }
  yield text.slice(begin)
}

/** ASCII's, but for joints and apostrophes, and those of scripts that write few spaces or none, or other commas and stops. */
const BREAK =
  /[\s,;!?()[\]{}"<>=|*&%$~^`\\\u3001\u3002\uff0c\uff1b\uff01\uff1f\uff08\uff09\u300c-\u3011\u060c\u061b\u061f\u0964\u0965\u17d4]/
const HALF_AT_END = /[\ud800-\udbff]$/

/** Terms between two looks at the clock: some 5 ms of those that are met for the first time. */
const BATCH = 200

/** The terms of a piece, some at a time. */
function* termsIn(piece: string): Generator<readonly string[], void, undefined> {
  let terms: string[] = []
  for (const token of tokensIn(piece))
    if (token.length <= LONGEST_KEPT) {
      for (const term of termsOf(token)) terms.push(term)
      if (terms.length < BATCH) continue
      yield terms
      terms = []
    } else
      for (const term of newTermsOf(token)) {
        if (terms.push(term) < BATCH) continue
        yield terms
        terms = []
      }
  yield terms
}

function tokensIn(piece: string): readonly string[] {
  const folded = withoutAccents(piece)
  return folded.match(ASCII.test(folded) ? ASCII_TOKENS : TOKENS) ?? []
}

/** Letters, digits and marks, with single joints inside. */
const TOKENS = /[\p{L}\p{N}\p{M}]+(?:[._\-:/@#+][\p{L}\p{N}\p{M}]+)*/gu
/** The same in what most texts are written in, many times as fast. */
const ASCII_TOKENS = /[A-Za-z0-9]+(?:[._\-:/@#+][A-Za-z0-9]+)*/g
const JOINTS = /[._\-:/@#+]/g
const JOINTS_OF_DIGITS = /(?<=\p{N})[._\-:/@#+](?=\p{N})/gu
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
/** In UTF-16 units. Longer tokens are blobs (base64, hashes of whole files); their head is enough to find them by. */
const LONGEST_TERM = 128

/**
 * Characters of a script without spaces that are segmented at a time: the segmenter's cost grows with the square of a run
 * (10,000 characters that fold to 60,000 took 1.3 s, in pieces 0.09). No run of real text is as long.
 */
const SEGMENTED = /.{1,512}/gsu

const stemmer = snowball.newStemmer('english')
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Cutting and stemming cost about 10 µs a token, and tokens repeat: 0.1 µs for those that are known. Emptied when full. */
const known = new Map<string, readonly string[]>()
const TOKENS_KEPT = 50_000
/** Longer tokens are hardly met twice. */
const LONGEST_KEPT = 40

/** Of Latin, Greek and Cyrillic letters. Marks of other scripts are vowels and tones: without them words collide. */
const ACCENTS = /[\u0300-\u036f]+/g

/** Compatibility forms, contractions, possessives, accents and case made one. */
export function fold(text: string): string {
  return withoutAccents(text).toLowerCase()
}

/** Folded, but for case. */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return withoutApostrophes(text)
  const compatible = normalised(text, 'NFKC').replace(/[\u2018\u2019\u02bc]/g, "'")
  return normalised(normalised(withoutApostrophes(compatible), 'NFD').replace(ACCENTS, ''), 'NFC')
}

/** Without possessives; behind an apostrophe no capital begins a word. */
function withoutApostrophes(text: string): string {
  return text.replace(/'s\b/gi, '').replace(/'(?<=\p{L}')(\p{L})/gu, (_, letter: string) => letter.toLowerCase())
}

function termsOf(token: string): readonly string[] {
  const kept = known.get(token)
  if (kept !== undefined) return kept
  const terms = [...newTermsOf(token)]
  if (known.size >= TOKENS_KEPT) known.clear()
  known.set(detached(token), terms)
  return terms
}

/** One at a time: a token may be as long as its text. */
function* newTermsOf(token: string): Generator<string, void, undefined> {
  for (const term of UNSPACED.test(token) ? segmentsOf(token.toLowerCase()) : wordsOf(token)) yield detached(term)
}

/** A copy: a long slice keeps the whole text that it was cut from alive. */
function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

function* wordsOf(token: string): Generator<string, void, undefined> {
  let isWhole = true
  for (const [word] of token.matchAll(ASCII.test(token) ? ASCII_WORDS : WORDS)) {
    const parts = compoundParts(word)
    if (isWhole && (parts.length > 1 || word.length < token.length)) yield stemmer.stem(headOf(wholeOf(token)))
    isWhole = false
    for (const part of parts) {
      const small = part.toLowerCase()
      if (!STOP_WORDS.has(small)) yield stemmer.stem(headOf(small))
    }
  }
}

/** An identifier without what joins its words, in one spelling; of a long one as much as makes a term. */
function wholeOf(token: string): string {
  const head = token.slice(0, 4 * LONGEST_TERM)
  return head.replace(JOINTS_OF_DIGITS, ' ').replace(JOINTS, '').replaceAll(' ', '.').toLowerCase()
}

function* segmentsOf(token: string): Generator<string, void, undefined> {
  for (const [piece] of token.matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) if (isWordLike) yield headOf(segment)
}

/** Never ends in half a character, which no engine takes. */
function headOf(token: string): string {
  return token.slice(0, LONGEST_TERM).replace(HALF_AT_END, '')
}
