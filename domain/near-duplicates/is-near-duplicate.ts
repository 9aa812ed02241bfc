import { analyse, fold, segmentedWords } from '../text/analysis.js'
import { calendarOf, languagesOf, LONGEST_READ, withPlainCharacters } from '../text/calendars.js'
import type { Language } from '../text/language.js'
import { createLexicon } from '../text/lexicon.js'
import { nameKey } from '../text/memory-text.js'
import { isCommonWord } from '../text/names/common-words.js'
import { namesIn } from '../text/names/names-in.js'
import negations from '../text/negations.json' with { type: 'json' }
import numberWords from '../text/number-words.json' with { type: 'json' }
import { UNSPACED } from '../text/segments.js'
import { STOP_WORDS, wordsIn } from '../text/words.js'
import { runToEnd, type Yielding } from '../yielding.js'

/** Languages of two texts; null is one that is uncertain. */
type Languages = readonly (Language | null | undefined)[]

/**
 * Returns whether two similar texts are near duplicates. They are not, however similar their vectors, when they differ
 * in a number or the word after it, in a negation, in a mathematical sign or an operator, in a day or a month, in a name
 * or an identifier, in the order of the words that they share, or when each has a content word that the other lacks in any spelling ("likes tea", "likes
 * coffee"). One text may add words, or use other forms of them; in a language whose negations are not known it may add none. Long texts of
 * uncertain language are none, since they would be read in all of them.
 */
export function isNearDuplicate(a: string, b: string, given: Languages = []): boolean {
  return runToEnd(isNearDuplicateInSteps(a, b, given))
}

/** Decides as `isNearDuplicate` does, for texts of any length: each part takes some 20 ms for two of 10,000 characters. */
export function* isNearDuplicateInSteps(a: string, b: string, given: Languages = []): Yielding<boolean> {
  const languages = [...new Set([a, b].flatMap((text, i) => given[i] ?? languagesByWords(text)))]
  if (languages.length > MOST_LANGUAGES && a.length + b.length > MOST_UNCERTAIN) return false
  const isEqual = (signatureOf: (text: string) => string) => signatureOf(a) === signatureOf(b)
  const parts = [
    () => isEqual(quantitiesOf) && isEqual(signsOf),
    () => onlyAddsWords(a, b, languages),
    () => isEqual((text) => NUMBER_LEXICON.in(text, languages).join(' ')),
    () => isEqual((text) => String(NEGATION_LEXICON.in(text, languages).length)),
    () => haveSameNames(a, b, given),
    () => haveSameOrder(segmentedWords(fold(a)), segmentedWords(fold(b))),
  ]
  for (const holds of parts) {
    if (!holds()) return false
    yield
  }
  return yield* haveSameTimes(a, b, languages)
}

/** Languages of two texts, each in a certain one. */
const MOST_LANGUAGES = 2
/** Characters of two texts of uncertain language that are compared: 2,000 take some 0.1 s. */
const MOST_UNCERTAIN = 4_000

/**
 * Returns the languages that a text in an uncertain one is read in: English if most of its words are English, else all. To tell too many texts
 * apart costs less than to lose one.
 */
function languagesByWords(text: string): readonly Language[] {
  const words = wordsIn(text)
  const common = words.filter((word) => isCommonWord(word)).length
  return common >= ENGLISH_SHARE * words.length ? ['en'] : NEGATION_LEXICON.languages
}

/** Share of English words in an English text; short words are words of several languages. */
const ENGLISH_SHARE = 0.75

const NEGATION_LEXICON = createLexicon(negations)
const NUMBER_LEXICON = createLexicon(numberWords)

const NUMBER_WORDS = `zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|double|twice|first|second|third`
/** Matches a number with its sign, currency, and the unit or word after it; in a script without spaces the letter. */
const QUANTITY = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])[-+])?[$\u20ac\u00a3\u00a5]?(?:\p{N}+(?:[.,:/]\p{N}+)*|\b(?:${NUMBER_WORDS})\b)(?:[%\u00b0]|\s?(?:${UNSPACED.source}|\p{L}{1,20}))?`,
  'giu',
)

/** Digits that NFKC makes those of the number before them: 10² is not 102. */
const RAISED_OR_LOWERED = /[\u00b2\u00b3\u00b9\u2070-\u209c]+/g

function quantitiesOf(text: string): string {
  const spaced = text.replace(RAISED_OR_LOWERED, '^$&').replace(/\s+/g, ' ')
  return (spaced.normalize('NFKC').toLowerCase().match(QUANTITY) ?? [])
    .map((found) => found.replace(/\s/g, ''))
    .join(' ')
}

/** Matches signs such as `+`, `<=`, `≠` and `||`, and a `!` that negates what follows. */
const SIGNS = /\p{Sm}+|&&|(?<![\p{L}\p{N}!])!(?=[\p{L}\p{N}_(])/gu

function signsOf(text: string): string {
  return (text.match(SIGNS) ?? []).join(' ')
}

const CALENDAR = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
  yesterday today tomorrow tonight morning noon afternoon evening night am pm last next before after`.split(/\s+/),
)

function englishTimesOf(text: string): string {
  return wordsIn(fold(text))
    .map((word) => (CALENDAR.has(word) ? word : word.replace(/s$/, '')))
    .filter((word) => CALENDAR.has(word))
    .join(' ')
}

const SENTENCE_END = /(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n+/u

function* haveSameTimes(a: string, b: string, languages: readonly Language[]): Yielding<boolean> {
  if (englishTimesOf(a) !== englishTimesOf(b)) return false
  const read = new Set([...languages, ...languagesOf(a, null), ...languagesOf(b, null)])
  for (const language of read) {
    if (timesIn(a, language) !== timesIn(b, language)) return false
    yield
  }
  return true
}

function timesIn(text: string, language: Language): string {
  const { words } = calendarOf(language)
  if (words === null) return ''
  const time = new RegExp(words.time, 'giu')
  const pieces = withPlainCharacters(text)
    .split(SENTENCE_END)
    .flatMap((sentence) => sentence.match(PIECE) ?? [])
  return pieces.flatMap((piece) => piece.toLowerCase().match(time) ?? []).join(' ')
}

/** The expressions for times are for texts of this length. */
const PIECE = new RegExp(`.{1,${LONGEST_READ}}`, 'gsu')

function haveSameNames(a: string, b: string, given: Languages): boolean {
  const [spacedA, spacedB] = [spacedWords(a), spacedWords(b)]
  return (
    namesOf(a, given[0]).every((name) => spacedB.includes(name)) &&
    namesOf(b, given[1]).every((name) => spacedA.includes(name))
  )
}

/** Leaves dates to `haveSameTimes`: relative dates resolve differently for each memory. */
function namesOf(text: string, language: Language | null | undefined): string[] {
  return namesIn(text, 0, language).flatMap(({ name, type }) => (type === 'date' ? [] : [spacedWords(name)]))
}

/** Returns the words separated by single spaces, so that a name is only found as whole words. */
function spacedWords(text: string): string {
  return ` ${wordsIn(nameKey(text)).join(' ')} `
}

/** Returns whether all content words of one text are in the other, in some form. */
function onlyAddsWords(a: string, b: string, languages: readonly Language[]): boolean {
  const [ofA, ofB] = [contentWordsOf(a, languages), contentWordsOf(b, languages)]
  const lacking = (from: readonly string[], to: readonly string[]) => {
    const others = new Set(to)
    return from.filter((word) => !others.has(word))
  }
  const [onlyA, onlyB] = [lacking(ofA, ofB), lacking(ofB, ofA)]
  if (onlyA.length > MOST_OTHER || onlyB.length > MOST_OTHER) return false
  const isIn = (words: readonly string[], others: readonly string[]) =>
    words.every((word) => others.some((other) => isSpellingVariant(word, other, languages)))
  const mayAdd = languages.every((language) => NEGATION_LEXICON.languages.includes(language))
  return mayAdd ? isIn(onlyA, onlyB) || isIn(onlyB, onlyA) : isIn(onlyA, onlyB) && isIn(onlyB, onlyA)
}

/** Similar texts differ in few words. */
const MOST_OTHER = 40

/**
 * Returns the terms but English function words, which are other words elsewhere (French `an`), and but pairs of Chinese characters beside words, since
 * a word more parts two characters.
 */
function contentWordsOf(text: string, languages: readonly Language[]): string[] {
  const words = new Set(segmentedWords(fold(text)))
  const terms = analyse(text, 'en').filter((term) => !STOP_WORDS.has(term) && (!HAN_PAIR.test(term) || words.has(term)))
  const others = languages.includes('en') ? [] : [...words].filter((word) => STOP_WORDS.has(word))
  return [...new Set([...terms, ...others])]
}

const HAN_PAIR = /^\p{Script=Han}{2}$/u

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
