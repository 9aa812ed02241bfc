import snowball from 'snowball-stemmers'
import { compoundParts } from './compounds.js'
import { STOP_WORDS } from './stop-words.js'
import { WORDS } from './words.js'

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
  for (const [token] of withoutAccents(text).matchAll(TOKEN)) {
    if (UNSPACED.test(token)) pushSegments(terms, token.toLowerCase())
    else pushToken(terms, token)
  }
  return terms
}

/** Letters, digits and marks, with single joints inside. */
const TOKEN = /[\p{L}\p{N}\p{M}]+(?:[._\-:/@#+][\p{L}\p{N}\p{M}]+)*/gu
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

/** Stemming is the costliest step and words repeat: about 10 µs a word without, 0.1 with. Emptied when full. */
const stems = new Map<string, string>()
const STEMS_KEPT = 50_000

/** Of Latin, Greek and Cyrillic letters. Marks of other scripts are vowels and tones: without them words collide. */
const ACCENTS = /[\u0300-\u036f]+/g

/** Compatibility forms, contractions, possessives, accents and case made one. */
export function fold(text: string): string {
  return withoutAccents(text).toLowerCase()
}

/** Folded, but for case; behind an apostrophe no capital begins a word. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/'s\b/gi, '')
    .replace(/(?<=\p{L})'(\p{L})/gu, (_, letter: string) => letter.toLowerCase())
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
}

function pushWord(terms: string[], word: string): void {
  if (!STOP_WORDS.has(word)) terms.push(stemOf(headOf(word)))
}

function pushToken(terms: string[], token: string): void {
  const parts = [...token.matchAll(WORDS)].flatMap(([part]) => compoundParts(part))
  if (parts.length > 1) terms.push(stemOf(headOf(wholeOf(token))))
  for (const part of parts) pushWord(terms, part.toLowerCase())
}

/** An identifier without what joins its words, in one spelling. */
function wholeOf(token: string): string {
  return token.replace(JOINTS_OF_DIGITS, ' ').replace(JOINTS, '').replaceAll(' ', '.').toLowerCase()
}

function pushSegments(terms: string[], token: string): void {
  for (const [piece] of token.matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) if (isWordLike) terms.push(headOf(segment))
}

/** Never ends in half a character, which no engine takes. */
function headOf(token: string): string {
  return token.slice(0, LONGEST_TERM).replace(/[\ud800-\udbff]$/, '')
}

function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const stem = stemmer.stem(word)
  if (stems.size >= STEMS_KEPT) stems.clear()
  stems.set(word, stem)
  return stem
}
