import snowball from 'snowball-stemmers'
import { runToEnd, type Yielding } from '../yielding.js'
import { joinedNumbers, joinThousands } from './joined-numbers.js'
import { normaliseUnicode, withoutHalfCharacter } from './characters.js'
import { ASCII_TEXT, ASCII_WORD_PATTERN, WORD_PATTERN, compoundParts, STOP_WORDS, wordsIn } from './words.js'

/**
 * Returns the terms of a text: the one English analysis of cairn. Both engines index what it returns and the scoring
 * reads the same, so that a term means the same thing everywhere. Words are folded (NFKC, accents, case), split, freed
 * of stop words and stemmed (Snowball English). An identifier yields itself as a whole and its parts, however it is
 * written: `prune_cart`, `prune-cart` and `pruneCart` all yield `prunecart`, `prune` and `cart`. Between digits a
 * separator is significant: `1.23` is not `12.3`; numbers and codes in groups yield one more term without separators.
 *
 * Indices store what this returned when their documents were written: a change of it raises the version of both engines
 * (search/README.md).
 */
export function analyse(text: string): string[] {
  return runToEnd(analyseInSteps(text))
}

/** Returns what `analyse` returns for a text of any length. */
export function* analyseInSteps(text: string): Yielding<string[]> {
  const terms: string[] = []
  for (const piece of splitIntoPieces(text)) {
    for (const token of tokensIn(piece))
      for (const term of token.length > LONGEST_CACHED_TOKEN ? newTermsOf(token) : termsOf(token))
        if (terms.push(term) % TERMS_PER_STEP === 0) yield
    yield
  }
  return terms
}

/** Terms between two yields: some 5 ms when none is cached yet. */
const TERMS_PER_STEP = 200

/** Returns the first term of a text, if it has any. */
export function firstTermOf(text: string): string | undefined {
  for (const piece of splitIntoPieces(text))
    for (const token of tokensIn(piece))
      for (const term of token.length > LONGEST_CACHED_TOKEN ? newTermsOf(token) : termsOf(token)) return term
  return undefined
}

/** Minimum number of characters of a piece of a long text; the maximum is twice that. */
const PIECE_LENGTH = 4_096

/**
 * Splits a long text into pieces that are analysed one at a time. It cuts after white space or punctuation that no rule
 * of `analyse` looks across and that neither joins nor composes with anything, so that the terms are those of the whole
 * text. Where there is none within a piece (base64) it cuts anyway, though never through a character.
 */
export function* splitIntoPieces(text: string): Generator<string, void, undefined> {
  let begin = 0
  while (text.length - begin > 2 * PIECE_LENGTH) {
    const found = text.slice(begin + PIECE_LENGTH, begin + 2 * PIECE_LENGTH).search(SAFE_BREAK)
    const end = begin + PIECE_LENGTH + (found === -1 ? PIECE_LENGTH : found + 1)
    const piece = withoutHalfCharacter(text.slice(begin, end))
    yield piece
    begin += piece.length
  }
  yield text.slice(begin)
}

/**
 * White space and punctuation of ASCII (except joiners of identifiers and apostrophes) and of scripts with few spaces or their own commas and stops.
 * What may stand in a number in groups (joined-numbers.ts) must follow a word: two letters, as a possessive is removed (`7's`), and a digit has many
 * forms (`７`, `²`). A comma must also precede a word or white space: no number begins after one.
 */
const SAFE_BREAK =
  /[\n\r\t;!?[\]{}"<>=|*&%$~^`\\\u3001\u3002\uff1b\uff01\uff1f\u300c-\u3011\u060c\u061b\u061f\u0964\u0965\u17d4]|(?:[\s()\uff08\uff09]|[,\uff0c](?=[\p{L}\s]))(?<=[\p{Lu}\p{Ll}\p{Lo}]{2}.)/u

function tokensIn(piece: string): readonly string[] {
  const folded = joinThousands(withoutAccents(piece))
  const pattern = ASCII_TEXT.test(folded) ? ASCII_TOKENS : TOKENS
  const joined = joinedNumbers(folded)
  if (joined.length === 0) return folded.match(pattern) ?? []
  const tokens = Array.from(folded.matchAll(pattern), ({ 0: text, index }) => ({ text, end: index + text.length }))
  return [...tokens, ...joined].sort((a, b) => a.end - b.end).map(({ text }) => text)
}

/** Letters, digits and marks, with single joiners inside. */
const TOKENS = /[\p{L}\p{N}\p{M}]+(?:[._\-:/@#+][\p{L}\p{N}\p{M}]+)*/gu
/** The ASCII form, which suffices for most texts and is many times as fast. */
const ASCII_TOKENS = /[A-Za-z0-9]+(?:[._\-:/@#+][A-Za-z0-9]+)*/g
const JOINERS = /[._\-:/@#+]/g
const JOINERS_OF_DIGITS = /(?<=\p{N})[._\-:/@#+](?=\p{N})/gu
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
/** Length in UTF-16 units. Longer tokens are blobs (base64, hashes of whole files); their beginning is enough to find them. */
const LONGEST_TERM = 128

/**
 * Characters of an unspaced script that are segmented at a time: the segmenter's cost grows with the square of a run
 * (10,000 characters that fold to 60,000 took 1.3 s, in pieces 0.09). No run of real text is as long.
 */
const SEGMENTED = /.{1,512}/gsu

const stemmer = snowball.newStemmer('english')
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/**
 * Caches the terms of tokens: splitting and stemming cost about 10 µs a token, a lookup 0.1 µs, and tokens repeat.
 * Emptied when full.
 */
const cachedTerms = new Map<string, readonly string[]>()
const CACHED_TOKENS = 50_000
/** Longer tokens hardly ever repeat. */
const LONGEST_CACHED_TOKEN = 40

/**
 * Accents of Latin, Greek and Cyrillic letters. Marks of other scripts are vowels and tones: without them words
 * collide.
 */
const ACCENTS = /[\u0300-\u036f]+/g

/** Folds compatibility forms, contractions, possessives, accents and case. */
export function fold(text: string): string {
  return withoutAccents(text).toLowerCase()
}

/** Folds everything but case. */
function withoutAccents(text: string): string {
  if (ASCII_TEXT.test(text)) return withoutApostrophes(text)
  const compatible = normaliseUnicode(text, 'NFKC').replace(/[\u2018\u2019\u02bc]/g, "'")
  return normaliseUnicode(normaliseUnicode(withoutApostrophes(compatible), 'NFD').replace(ACCENTS, ''), 'NFC')
}

/** Removes possessives; a capital after an apostrophe does not begin a word. */
function withoutApostrophes(text: string): string {
  return text.replace(/'s\b/gi, '').replace(/'(?<=\p{L}')(\p{L})/gu, (_, letter: string) => letter.toLowerCase())
}

/** Returns the words of a folded text, those of scripts without spaces as `analyse` segments them. */
export function segmentedWords(folded: string): string[] {
  return wordsIn(folded).flatMap((word) => (UNSPACED.test(word) ? [...segmentsOf(word)] : [word]))
}

function termsOf(token: string): readonly string[] {
  const kept = cachedTerms.get(token)
  if (kept !== undefined) return kept
  const terms = [...newTermsOf(token)]
  if (cachedTerms.size >= CACHED_TOKENS) cachedTerms.clear()
  cachedTerms.set(copyOf(token), terms)
  return terms
}

/** Yields the terms one at a time: a token may be as long as its text. */
function* newTermsOf(token: string): Generator<string, void, undefined> {
  for (const term of UNSPACED.test(token) ? segmentsOf(token.toLowerCase()) : wordTermsOf(token)) yield copyOf(term)
}

/** Returns a copy: a slice keeps the whole text that it was cut from in memory. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

function* wordTermsOf(token: string): Generator<string, void, undefined> {
  let isWhole = true
  for (const [word] of token.matchAll(ASCII_TEXT.test(token) ? ASCII_WORD_PATTERN : WORD_PATTERN)) {
    const parts = compoundParts(word)
    if (isWhole && (parts.length > 1 || word.length < token.length)) yield stemmer.stem(headOf(wholeOf(token)))
    isWhole = false
    for (const part of parts) {
      const small = part.toLowerCase()
      if (!STOP_WORDS.has(small)) yield stemmer.stem(headOf(small))
    }
  }
}

/** Returns an identifier without its joiners, in one spelling; only as much of a long one as makes a term. */
function wholeOf(token: string): string {
  const head = token.slice(0, 4 * LONGEST_TERM)
  return head.replace(JOINERS_OF_DIGITS, ' ').replace(JOINERS, '').replaceAll(' ', '.').toLowerCase()
}

function* segmentsOf(token: string): Generator<string, void, undefined> {
  for (const [piece] of token.matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) if (isWordLike) yield headOf(segment)
}

/** Truncates to a term's length, never in the middle of a character, which no engine accepts. */
function headOf(token: string): string {
  return withoutHalfCharacter(token.slice(0, LONGEST_TERM))
}
