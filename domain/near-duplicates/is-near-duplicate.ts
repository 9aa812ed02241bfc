import { analyse, fold } from '../text/analysis.js'
import { nameKey } from '../text/memory-text.js'
import { namesIn } from '../text/names/names-in.js'
import { STOP_WORDS, wordsIn } from '../text/words.js'

/**
 * Returns whether two similar texts are near duplicates. They are not, however similar their vectors, when they differ
 * in a number or the word after it, in a negation, in a mathematical sign or an operator, in a day or a month, in a name
 * or an identifier, in the order of the words that they share, or when each has a content word that the other lacks in any spelling ("likes tea", "likes
 * coffee"). One text may add words, or use other forms of them.
 */
export function isNearDuplicate(a: string, b: string): boolean {
  return (
    quantitiesOf(a) === quantitiesOf(b) &&
    negationsOf(a) === negationsOf(b) &&
    signsOf(a) === signsOf(b) &&
    calendarOf(a) === calendarOf(b) &&
    haveSameNames(a, b) &&
    onlyAddsWords(a, b) &&
    haveSameOrder(foldedWordsOf(a), foldedWordsOf(b))
  )
}

function foldedWordsOf(text: string): string[] {
  return wordsIn(fold(text))
}

const NUMBER_WORDS = `zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|double|twice|first|second|third`
/** Matches a number with its sign, currency, and the unit or word after it. */
const QUANTITY = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])[-+])?[$\u20ac\u00a3\u00a5]?(?:\p{N}+(?:[.,:/]\p{N}+)*|\b(?:${NUMBER_WORDS})\b)(?:[%\u00b0]|\s?\p{L}{1,20})?`,
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

const NEGATIONS = new Set(
  `not no never none nobody nothing nowhere neither nor without cannot aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt neednt shant
  shouldnt wasnt werent wont wouldnt hardly barely rarely seldom unable fails failed stopped former formerly`.split(
    /\s+/,
  ),
)

function negationsOf(text: string): number {
  return foldedWordsOf(text).filter((word) => NEGATIONS.has(word)).length
}

const CALENDAR = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
  yesterday today tomorrow tonight morning noon afternoon evening night am pm last next before after`.split(/\s+/),
)

function calendarOf(text: string): string {
  return foldedWordsOf(text)
    .map((word) => (CALENDAR.has(word) ? word : word.replace(/s$/, '')))
    .filter((word) => CALENDAR.has(word))
    .join(' ')
}

function haveSameNames(a: string, b: string): boolean {
  const [spacedA, spacedB] = [spacedWords(a), spacedWords(b)]
  return namesOf(a).every((name) => spacedB.includes(name)) && namesOf(b).every((name) => spacedA.includes(name))
}

/** Leaves dates to `calendarOf`: relative dates resolve differently for each memory. */
function namesOf(text: string): string[] {
  return namesIn(text, 0).flatMap(({ name, type }) => (type === 'date' ? [] : [spacedWords(name)]))
}

/** Returns the words separated by single spaces, so that a name is only found as whole words. */
function spacedWords(text: string): string {
  return ` ${wordsIn(nameKey(text)).join(' ')} `
}

/** Returns whether all content words of one text are in the other, in some form. */
function onlyAddsWords(a: string, b: string): boolean {
  const [ofA, ofB] = [contentWordsOf(a), contentWordsOf(b)]
  const lacking = (from: readonly string[], to: readonly string[]) => {
    const others = new Set(to)
    return from.filter((word) => !others.has(word))
  }
  const [onlyA, onlyB] = [lacking(ofA, ofB), lacking(ofB, ofA)]
  if (onlyA.length > MOST_OTHER || onlyB.length > MOST_OTHER) return false
  return (
    onlyA.every((word) => onlyB.some((other) => isSpellingVariant(word, other))) ||
    onlyB.every((word) => onlyA.some((other) => isSpellingVariant(word, other)))
  )
}

/** Similar texts differ in few words. */
const MOST_OTHER = 40

function contentWordsOf(text: string): string[] {
  return [...new Set(analyse(text, 'en'))].filter((term) => !STOP_WORDS.has(term))
}

/**
 * Returns whether two words of at least five letters differ by a typing error or an ending: one letter more, less or
 * other, or two swapped letters.
 */
function isSpellingVariant(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 5 || long.length - short.length > 1) return false
  let from = 0
  while (from < short.length && short[from] === long[from]) from++
  let back = 0
  while (back < short.length - from && short[short.length - 1 - back] === long[long.length - 1 - back]) back++
  const [restA, restB] = [short.slice(from, short.length - back), long.slice(from, long.length - back)]
  return restB.length <= 1 || (restA.length === 2 && restA === [...restB].reverse().join(''))
}

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
