import { runToEnd, type Yielding } from '../yielding.js'
import { withElisionsApart, withoutAffixes, withoutSuffixes } from './affixes.js'
import { copyOf, normaliseUnicode, plainLetters, withoutHalfCharacter } from './characters.js'
import { partsOfCompound } from './decompounding.js'
import { joinedNumbers, joinThousands } from './joined-numbers.js'
import type { Language } from './language.js'
import { scriptOf } from './languages-of-scripts.js'
import { isUnspaced, segmentsOf, wordsOfUnspaced } from './segments.js'
import { isSignedWord, signedWordsIn } from './signed-words.js'
import { stemmerOf } from './stems.js'
import { stopWordsOf } from './stop-words.js'
import { symbolOf, SYMBOL_PATTERN } from './symbols.js'
import { ASCII_TEXT, ASCII_WORD_PATTERN, WORD_PATTERN, compoundParts, wordsIn } from './words.js'

/** The terms of a text, with repetitions, and the number of its words: a word has several terms where one might not be found. */
export interface TextTerms {
  readonly terms: string[]
  readonly words: number
}

/**
 * Returns the terms of a text in a language, or in one that nobody knows: the one analysis of cairn. Both engines index what it returns and the
 * scoring reads the same, so that a term means the same thing everywhere. Words are folded (NFKC, accents, case), split, freed
 * of stop words and stemmed (Snowball). An identifier yields itself as a whole and its parts, however it is
 * written: `prune_cart`, `prune-cart` and `pruneCart` all yield `prunecart`, `prune` and `cart`. Between digits a
 * separator is significant: `1.23` is not `12.3`; numbers and codes in groups yield one more term without separators.
 *
 * Indices store what this returned when their documents were written: a change of it raises the version of both engines
 * (search/README.md).
 */
export function analyse(text: string, language: Language | null): string[] {
  return runToEnd(analyseInSteps(text, language)).terms
}

/** Returns the terms of `analyse` and the number of words of a text of any length. */
export function* analyseInSteps(text: string, language: Language | null): Yielding<TextTerms> {
  const analyser = keep(analysers, `text ${language}`, () => textAnalyser(language))
  const terms: string[] = []
  let words = 0
  for (const piece of splitIntoPieces(withoutSuffixes(text, [language]))) {
    for (const token of tokensIn(piece, language))
      for (const word of wordsOf(token, analyser)) {
        if (word.counts) words++
        for (const term of word.terms) if (terms.push(term) % TERMS_PER_STEP === 0) yield
      }
    yield
  }
  return { terms, words }
}

/** The terms of one word of a query: a text that has any of them has the word. The first one is the English stem. */
export type TermGroup = readonly string[]

/**
 * Returns the distinct words of a query as the terms that find them in texts of any language: the English stem, the whole form, and the
 * stems of `languages`, which are the query's own or those that it might be in. It is freed of the stop words of its language, or of
 * the English ones if that is not known.
 */
export function* analyseQuery(
  text: string,
  language: Language | null,
  languages: readonly Language[] = language === null ? [] : [language],
): Yielding<TermGroup[]> {
  const analyser = queryAnalyserOf(language, languages)
  const groups = new Map<string, TermGroup>()
  for (const piece of splitIntoPieces(withoutSuffixes(text, languages))) {
    for (const token of tokensIn(piece, language))
      for (const { terms } of wordsOf(token, analyser)) {
        if (!groups.has(terms[0]!)) groups.set(terms[0]!, terms)
        if (groups.size % TERMS_PER_STEP === 0) yield
      }
    yield
  }
  return [...groups.values()]
}

/** Terms between two yields: some 5 ms when none is cached yet. */
const TERMS_PER_STEP = 200

/** Returns the terms of a word of a query, folded; null for a stop word of its language. */
export function groupOf(word: string, language: Language | null): TermGroup | null {
  const analyser = queryAnalyserOf(language, language === null ? [] : [language])
  if (word.length > LONGEST_KEPT_TOKEN) return firstGroupOf(word, language, analyser)
  return keep(analyser.groups, word, () => firstGroupOf(word, language, analyser))
}

function firstGroupOf(word: string, language: Language | null, analyser: Analyser): TermGroup | null {
  for (const token of tokensIn(word, language)) for (const { terms } of wordsOf(token, analyser)) return terms
  return null
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
 * No mark may follow, since some compose with signs (`<` and U+0338 are `≮`).
 * What may stand in a number in groups (joined-numbers.ts) must follow a word: two letters, as a possessive is removed (`7's`), and a digit has many
 * forms (`７`, `²`). A comma must also precede a word or white space: no number begins after one.
 */
const SAFE_BREAK =
  /[\n\r\t;!?[\]{}"<>=|*&%$~^`\\\u3001\u3002\uff1b\uff01\uff1f\u300c-\u3011\u060c\u061b\u061f\u0964\u0965\u17d4](?!\p{M}|$)|(?:[\s()\uff08\uff09]|[,\uff0c](?=[\p{L}\s]))(?<=[\p{Lu}\p{Ll}\p{Lo}]{2}.)/u

function tokensIn(piece: string, language: Language | null): readonly string[] {
  const text = joinThousands(withoutApostrophes(withElisionsApart(compatibleCharacters(piece), language)))
  const pattern = ASCII_TEXT.test(text) ? ASCII_TOKENS : TOKENS
  const beside = [...joinedNumbers(text), ...signedWordsIn(text)]
  if (beside.length === 0) return text.match(pattern) ?? []
  const tokens = Array.from(text.matchAll(pattern), ({ 0: text, index }) => ({ text, end: index + text.length }))
  return [...tokens, ...beside].sort((a, b) => a.end - b.end).map(({ text }) => text)
}

/** Letters, digits and marks, with single joiners inside, or a symbol. */
const TOKENS = new RegExp(`[\\p{L}\\p{N}\\p{M}]+(?:[._\\-:/@#+][\\p{L}\\p{N}\\p{M}]+)*|${SYMBOL_PATTERN}`, 'gu')
/** The ASCII form, which suffices for most texts and is many times as fast. */
const ASCII_TOKENS = /[A-Za-z0-9]+(?:[._\-:/@#+][A-Za-z0-9]+)*/g
const JOINERS = /[._\-:/@#+]/g
const JOINERS_OF_DIGITS = /(?<=\p{N})[._\-:/@#+](?=\p{N})/gu
/** Length in UTF-16 units. Longer tokens are blobs (base64, hashes of whole files); their beginning is enough to find them. */
const LONGEST_TERM = 128
const HAS_DIGIT = /\p{N}/u

/** One word of a text with its terms; what does not count as a word is found beside the words that it is in. */
interface FoundWord {
  readonly terms: readonly string[]
  readonly counts: boolean
}

/** Says how the words of a text or of a query in some languages are analysed. */
interface Analyser {
  readonly stopWords: ReadonlySet<string>
  readonly inSmallLetters: (word: string) => string
  /** Returns the distinct terms of a word in small letters, whose `plain` letters are no stop word and have no digit. */
  readonly termsOf: (word: string, plain: string) => readonly string[]
  /** The languages whose compounds are also found by their parts. */
  readonly languages: readonly Language[]
  /** The words of tokens that are likely to occur again. */
  readonly words: Map<string, readonly FoundWord[]>
  /** The terms of single words of queries and statements that are likely to occur again. */
  readonly groups: Map<string, TermGroup | null>
}

const english = stemmerOf('en')!
const analysers = new Map<string, Analyser>()

function queryAnalyserOf(language: Language | null, languages: readonly Language[]): Analyser {
  return keep(analysers, `query ${language} ${languages.join(' ')}`, () => queryAnalyser(language, languages))
}

function textAnalyser(language: Language | null): Analyser {
  const stem = language === null ? null : stemmerOf(language)
  const isLatin = language === null || isWrittenInLatin(language)
  const common = {
    ...casesOf(language),
    stopWords: stopWordsOf(language ?? 'en'),
    languages: language === null ? [] : [language],
    words: new Map(),
    groups: new Map(),
  }
  if (language === 'en') return { ...common, termsOf: (_, plain) => [english(plain)] }
  return {
    ...common,
    termsOf: (word, plain) => {
      const stemmed = stem !== null && (isLatin || !ASCII_TEXT.test(plain)) ? stem : null
      const first = stemmed === null ? english(plain) : stemmed(word)
      const rests = withoutAffixes(plain, language)
      if (rests.length === 0) return first === plain ? [plain] : [first, plain]
      return [...new Set([first, plain, ...rests.map((rest) => stemmed?.(rest) ?? rest)])]
    },
  }
}

function queryAnalyser(language: Language | null, languages: readonly Language[]): Analyser {
  const stems = languages.filter((one) => one !== 'en').flatMap((one) => stemmerOf(one) ?? [])
  return {
    ...casesOf(language),
    stopWords: stopWordsOf(language ?? 'en'),
    languages,
    words: new Map(),
    groups: new Map(),
    termsOf: (word, plain) => {
      const rests = withoutAffixes(plain, language)
      const forms = rests.flatMap((rest) => [rest, ...stems.map((stem) => stem(rest))])
      return [...new Set([english(plain), plain, ...stems.map((stem) => stem(word)), ...forms])]
    },
  }
}

function casesOf(language: Language | null): Pick<Analyser, 'inSmallLetters'> {
  const hasDotless = language === 'tr' || language === 'az'
  return { inSmallLetters: hasDotless ? (word) => word.toLocaleLowerCase(language) : (word) => word.toLowerCase() }
}

function isWrittenInLatin(language: Language): boolean {
  return scriptOf(language) === 'Latn'
}

/**
 * Counts the analysers, and the tokens that they keep with their words: splitting and stemming cost some 10 µs a token, a lookup 0.1 µs, and
 * tokens repeat. All are forgotten when there are too many, which is at some 20 MB.
 */
let kept = 0
const MOST_KEPT = 100_000
/** Longer tokens, and those of more words, as sentences without spaces, hardly ever repeat. */
const LONGEST_KEPT_TOKEN = 40
const MOST_KEPT_WORDS = 8

function keep<T>(values: Map<string, T>, key: string, make: () => T, sizeOf: (value: T) => number = () => 1): T {
  const known = values.get(key)
  if (known !== undefined) return known
  const value = make()
  const size = sizeOf(value)
  if (size === 0) return value
  if ((kept += size) > MOST_KEPT) {
    analysers.clear()
    kept = size
  }
  values.set(copyOf(key), value)
  return value
}

function wordsOf(token: string, analyser: Analyser): Iterable<FoundWord> {
  if (token.length > LONGEST_KEPT_TOKEN) return newWordsOf(token, analyser)
  const sizeOf = ({ length }: readonly FoundWord[]) => (length > MOST_KEPT_WORDS ? 0 : 1 + length)
  return keep(analyser.words, token, () => [...newWordsOf(token, analyser)], sizeOf)
}

/** Yields the words one at a time: a token may be as long as its text. */
function* newWordsOf(token: string, analyser: Analyser): Generator<FoundWord, void, undefined> {
  const symbol = symbolOf(token)
  if (symbol !== null) yield { terms: [symbol], counts: true }
  else if (isSignedWord(token)) yield { terms: [token], counts: true }
  else if (isUnspaced(token)) yield* segmentedWordsOf(token, analyser)
  else yield* joinedWordsOf(token, analyser)
}

/** Yields a token as a whole if it has several parts, and its parts. */
function* joinedWordsOf(token: string, analyser: Analyser): Generator<FoundWord, void, undefined> {
  let isWhole = true
  for (const [word] of token.matchAll(ASCII_TEXT.test(token) ? ASCII_WORD_PATTERN : WORD_PATTERN)) {
    const parts = compoundParts(word)
    if (isWhole && (parts.length > 1 || word.length < token.length))
      yield { terms: [copyOf(english(headOf(plainLetters(wholeOf(token)))))], counts: true }
    isWhole = false
    for (const part of parts) {
      const terms = termsOfWord(part, analyser)
      if (terms.length === 0) continue
      yield { terms, counts: true }
      yield* compoundedWords(part, analyser)
    }
  }
}

/** Yields the words that a compound is made of, which are found beside it. */
function* compoundedWords(word: string, analyser: Analyser): Generator<FoundWord, void, undefined> {
  const plain = analyser.languages.length === 0 ? '' : plainLetters(analyser.inSmallLetters(word))
  const parts = new Set(analyser.languages.flatMap((language) => partsOfCompound(plain, language)))
  for (const part of parts) yield { terms: analyser.termsOf(part, part).map(copyOf), counts: false }
}

/** Returns the terms of a word, none of a stop word. */
function termsOfWord(word: string, analyser: Analyser): readonly string[] {
  const small = analyser.inSmallLetters(headOf(word))
  const plain = headOf(plainLetters(small))
  if (plain === '' || analyser.stopWords.has(plain)) return []
  return (HAS_DIGIT.test(plain) ? [english(plain)] : analyser.termsOf(small, plain)).map(copyOf)
}

/** Yields the words of a token of a script without spaces, and pairs of neighbouring Chinese characters that are no word of their own. */
function* segmentedWordsOf(token: string, analyser: Analyser): Generator<FoundWord, void, undefined> {
  for (const { text, isWord } of segmentsOf(analyser.inSmallLetters(token), analyser.stopWords)) {
    if (!isWord || isUnspaced(text)) yield { terms: [copyOf(headOf(plainLetters(text)))], counts: isWord }
    else {
      const terms = termsOfWord(text, analyser)
      if (terms.length > 0) yield { terms, counts: true }
    }
  }
}

/** Returns an identifier without its joiners, in one spelling; only as much of a long one as makes a term. */
function wholeOf(token: string): string {
  const head = token.slice(0, 4 * LONGEST_TERM)
  return head.replace(JOINERS_OF_DIGITS, ' ').replace(JOINERS, '').replaceAll(' ', '.').toLowerCase()
}

/** Truncates to a term's length, never in the middle of a character, which no engine accepts. */
function headOf(token: string): string {
  return withoutHalfCharacter(token.slice(0, LONGEST_TERM))
}

/** Folds compatibility forms, contractions, possessives, accents and case. */
export function fold(text: string): string {
  return withoutApostrophes(plainText(text))
}

/** Folds compatibility forms, accents and case; apostrophes stay. */
export function plainText(text: string): string {
  return plainLetters(compatibleCharacters(text).toLowerCase())
}

function compatibleCharacters(text: string): string {
  if (ASCII_TEXT.test(text)) return text
  return normaliseUnicode(text.replaceAll('\u2116', ' numero '), 'NFKC').replace(/[\u2018\u2019\u02bc]/g, "'")
}

/** Removes possessives; a capital after an apostrophe does not begin a word. */
export function withoutApostrophes(text: string): string {
  return text
    .replace(/'s(?![\p{L}\p{N}\p{M}])/giu, '')
    .replace(/'(?<=\p{L}')(\p{L})/gu, (_, letter: string) => letter.toLowerCase())
}

/** Yields the words of a folded text, those of scripts without spaces as `analyse` segments them: whoever needs a few segments no more. */
export function* segmentedWords(folded: string): Generator<string, void, undefined> {
  for (const word of wordsIn(folded)) yield* isUnspaced(word) ? wordsOfUnspaced(word) : [word]
}
