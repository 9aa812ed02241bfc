import snowball from 'snowball-stemmers'
import { STOP_WORDS } from './stop-words.js'

/**
 * The one English analysis of cairn: both engines index what it returns and the scoring reads the same, so that a term means
 * the same thing everywhere. Words are folded (NFKC, accents, case), split, freed of stop words and stemmed (Snowball
 * English). An identifier (`ERR_CONN-42`, `api/v2/users`, `a@b.io`) gives itself whole and its parts.
 */
export function analyse(text: string): string[] {
  const terms: string[] = []
  for (const [token] of fold(text).matchAll(TOKEN)) {
    if (UNSPACED.test(token)) pushSegments(terms, token)
    else if (JOINT.test(token)) pushIdentifier(terms, token)
    else pushWord(terms, token)
  }
  return terms
}

/** Letters, digits and marks, with single joints inside. */
const TOKEN = /[\p{L}\p{N}\p{M}]+(?:[._\-:/@#+][\p{L}\p{N}\p{M}]+)*/gu
const JOINT = /[._\-:/@#+]/
/** Letters, digits and marks, with nothing between. */
export const WORDS = /[\p{L}\p{N}\p{M}]+/gu
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
  return text
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/'s\b/gi, '')
    .replace(/(\p{L})'(?=\p{L})/gu, '$1')
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .toLowerCase()
}

function pushWord(terms: string[], word: string): void {
  if (!STOP_WORDS.has(word)) terms.push(stemOf(headOf(word)))
}

function pushIdentifier(terms: string[], token: string): void {
  terms.push(headOf(token))
  for (const [part] of token.matchAll(WORDS)) pushWord(terms, part)
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
