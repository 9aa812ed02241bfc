import { languagesOf } from '../text/calendars.js'
import type { Language } from '../text/language.js'
import { runToEnd, type Yielding } from '../yielding.js'
import { KNOWN_LANGUAGES, type TextReading } from './text-reading.js'

/**
 * Returns whether two similar texts are near duplicates. They are not, however similar their vectors, when they differ
 * in a number or the word after it, in a negation, in a word that restricts ("only") or that names another share ("all", "some"), in a mathematical sign or an operator, in a day or a month, in a name
 * or an identifier, in the order of the words that they share, or when each has a content word that the other lacks in any spelling ("likes tea", "likes
 * coffee"). One text may add words, or use other forms of them; in a language whose negations are not known it may add none. Long texts of
 * uncertain language are none, since they would be read in all of them.
 */
export function isNearDuplicate(a: TextReading, b: TextReading): boolean {
  return runToEnd(isNearDuplicateInSteps(a, b))
}

/** Decides as `isNearDuplicate` does, for texts of any length: each part takes some 20 ms for two of 10,000 characters. */
export function* isNearDuplicateInSteps(a: TextReading, b: TextReading): Yielding<boolean> {
  const languages = [...new Set([...a.languages, ...b.languages])]
  if (languages.length > MOST_LANGUAGES && a.text.length + b.text.length > MOST_UNCERTAIN) return false
  if (a.quantities !== b.quantities || a.signs !== b.signs) return false
  yield
  const [ofA, ofB] = [yield* a.contentTerms(languages), yield* b.contentTerms(languages)]
  const parts = [
    () => onlyAddsWords(ofA, ofB, languages),
    () => a.numberWords(languages) === b.numberWords(languages),
    () => a.negations(languages) === b.negations(languages),
    () => a.restrictions(languages) === b.restrictions(languages),
    () => isOneWithin(a.shares(languages), b.shares(languages)),
    () => haveSameNames(a, b),
    () => haveSameOrder(a.words, b.words),
  ]
  for (const holds of parts) {
    if (!holds()) return false
    yield
  }
  return yield* haveSameTimes(a, b, languages)
}

/** Languages of two texts, each in a certain one. */
const MOST_LANGUAGES = 2
/** Characters of two texts of uncertain language that are compared: 2,000 take some 20 ms. */
const MOST_UNCERTAIN = 4_000

/** Returns whether one text speaks of no share that the other does not: "all tests" are "the tests", and not "some tests". */
function isOneWithin(a: readonly string[], b: readonly string[]): boolean {
  return a.every((share) => b.includes(share)) || b.every((share) => a.includes(share))
}

function haveSameNames(a: TextReading, b: TextReading): boolean {
  return a.names.every((name) => b.spacedWords.includes(name)) && b.names.every((name) => a.spacedWords.includes(name))
}

function* haveSameTimes(a: TextReading, b: TextReading, languages: readonly Language[]): Yielding<boolean> {
  if (differInSignsAlone(a, b)) return true
  if (a.englishTimes !== b.englishTimes) return false
  const read = new Set([...languages, ...languagesOf(a.text, null), ...languagesOf(b.text, null)])
  for (const language of read) {
    if (a.times(language) !== b.times(language)) return false
    yield
  }
  return true
}

/** Returns whether nothing but case, accents and signs tells two texts apart, and no sign before a digit: most copies differ in no more. */
function differInSignsAlone(a: TextReading, b: TextReading): boolean {
  const [ofA, ofB] = [a, b].map(({ folded }) => folded.replace(OTHER_SIGNS, ' ').trim())
  return ofA === ofB
}

const OTHER_SIGNS = /(?:(?!\S\p{N})[^\p{L}\p{N}\p{M}])+/gu

/** Returns whether all content words of one text are in the other, in some form. */
function onlyAddsWords(ofA: readonly string[], ofB: readonly string[], languages: readonly Language[]): boolean {
  const lacking = (from: readonly string[], to: readonly string[]) => {
    const others = new Set(to)
    return from.filter((word) => !others.has(word))
  }
  const [onlyA, onlyB] = [lacking(ofA, ofB), lacking(ofB, ofA)]
  if (onlyA.length > MOST_OTHER || onlyB.length > MOST_OTHER) return false
  const isIn = (words: readonly string[], others: readonly string[]) =>
    words.every((word) => others.some((other) => isSpellingVariant(word, other, languages)))
  const mayAdd = languages.every((language) => KNOWN_LANGUAGES.includes(language))
  return mayAdd ? isIn(onlyA, onlyB) || isIn(onlyB, onlyA) : isIn(onlyA, onlyB) && isIn(onlyB, onlyA)
}

/** Similar texts differ in few words. */
const MOST_OTHER = 40

/**
 * Returns whether two words of at least five letters differ by a typing error or an ending: one letter more, less or
 * other, or two swapped letters. In other languages than English the first two letters are the same, since one letter of a prefix makes an opposite: `angemeldet`
 * and `abgemeldet`, `bloccato` and `sbloccato`, `включён` and `выключен`; so does an `m` in Turkish (`çalışıyor`, `çalışmıyor`).
 */
function isSpellingVariant(a: string, b: string, languages: readonly Language[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 5 || long.length - short.length > 1) return false
  let from = 0
  while (from < short.length && short[from] === long[from]) from++
  let back = 0
  while (back < short.length - from && short[short.length - 1 - back] === long[long.length - 1 - back]) back++
  const [restA, restB] = [short.slice(from, short.length - back), long.slice(from, long.length - back)]
  if (restA === '' && restB === 'm' && languages.includes('tr')) return false
  if (from < SHORTEST_PREFIX && languages.some((language) => language !== 'en')) return false
  return restB.length <= 1 || (restA.length === 2 && restA === [...restB].reverse().join(''))
}

const SHORTEST_PREFIX = 2

/** Largest table of the longest common subsequence that is computed: 0.01 s. */
const MOST_COMPARED = 2_000_000

/**
 * Returns whether the words that both texts contain are in the same order: the longest common subsequence contains them
 * all.
 */
function haveSameOrder(a: readonly string[], b: readonly string[]): boolean {
  let from = 0
  while (from < a.length && from < b.length && a[from] === b[from]) from++
  let back = 0
  while (back < a.length - from && back < b.length - from && a[a.length - 1 - back] === b[b.length - 1 - back]) back++
  const [x, y] = [a.slice(from, a.length - back), b.slice(from, b.length - back)]
  if (x.length * y.length > MOST_COMPARED) return false
  return commonSubsequence(x, y) === countShared(x, y)
}

function countShared(a: readonly string[], b: readonly string[]): number {
  const counts = termCounts(a)
  let both = 0
  for (const word of b) {
    const left = counts.get(word) ?? 0
    if (left > 0) both++
    counts.set(word, left - 1)
  }
  return both
}

function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let above = new Uint16Array(b.length + 1)
  for (const word of a) {
    const row = new Uint16Array(b.length + 1)
    for (let j = 0; j < b.length; j++) row[j + 1] = word === b[j] ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!)
    above = row
  }
  return above[b.length]!
}

/** Counts how often each term occurs. */
export function termCounts(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
