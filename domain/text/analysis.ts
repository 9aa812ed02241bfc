import snowball from 'snowball-stemmers'
import { compoundParts } from './compounds.js'
import { STOP_WORDS } from './stop-words.js'
import { ASCII, wordsIn } from './words.js'

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
  const folded = withoutAccents(text)
  for (const token of folded.match(ASCII.test(folded) ? ASCII_TOKENS : TOKENS) ?? [])
    for (const term of termsOf(token)) terms.push(term)
  return terms
}

/** Characters of a piece of a long text: some 20 ms of tokens that are met for the first time. */
const PIECE = 4_096

/**
 * A long text in pieces whose terms, one after the other, are those of the whole: cut before an ASCII letter or digit that white space
 * precedes, of which no rule of `analyse` sees both sides. A text without such a place is one piece.
 */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  let begin = 0
  while (text.length - begin > PIECE) {
    BREAK.lastIndex = begin + PIECE
    const found = BREAK.exec(text)
    if (found === null) break
    yield text.slice(begin, found.index)
    begin = found.index
  }
  yield text.slice(begin)
}

const BREAK = /(?<=\s)[A-Za-z0-9]/g

/** As `analyse`, of a text of any length: calls `turn` now and then, which a process that serves others gives up its turn by. */
export async function analyseInPieces(text: string, turn: () => Promise<void> | undefined): Promise<string[]> {
  const terms: string[] = []
  for (const piece of piecesOf(text)) {
    for (const term of analyse(piece)) terms.push(term)
    await turn()
  }
  return terms
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
  const compatible = text.normalize('NFKC').replace(/[\u2018\u2019\u02bc]/g, "'")
  return withoutApostrophes(compatible).normalize('NFD').replace(ACCENTS, '').normalize('NFC')
}

/** Without possessives; behind an apostrophe no capital begins a word. */
function withoutApostrophes(text: string): string {
  return text.replace(/'s\b/gi, '').replace(/'(?<=\p{L}')(\p{L})/gu, (_, letter: string) => letter.toLowerCase())
}

function termsOf(token: string): readonly string[] {
  const kept = known.get(token)
  if (kept !== undefined) return kept
  const terms = (UNSPACED.test(token) ? segmentsOf(token.toLowerCase()) : wordsOf(token)).map(detached)
  if (token.length <= LONGEST_KEPT) {
    if (known.size >= TOKENS_KEPT) known.clear()
    known.set(detached(token), terms)
  }
  return terms
}

/** A copy: a long slice keeps the whole text that it was cut from alive. */
function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

function wordsOf(token: string): string[] {
  const parts = wordsIn(token).flatMap(compoundParts)
  const words = parts.map((part) => part.toLowerCase()).filter((word) => !STOP_WORDS.has(word))
  return (parts.length > 1 ? [wholeOf(token), ...words] : words).map((word) => stemmer.stem(headOf(word)))
}

/** An identifier without what joins its words, in one spelling. */
function wholeOf(token: string): string {
  return token.replace(JOINTS_OF_DIGITS, ' ').replace(JOINTS, '').replaceAll(' ', '.').toLowerCase()
}

function segmentsOf(token: string): string[] {
  const segments: string[] = []
  for (const [piece] of token.matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) if (isWordLike) segments.push(headOf(segment))
  return segments
}

/** Never ends in half a character, which no engine takes. */
function headOf(token: string): string {
  return token.slice(0, LONGEST_TERM).replace(/[\ud800-\udbff]$/, '')
}
