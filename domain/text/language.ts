import { normaliseUnicode, withoutHalfCharacter } from './characters.js'
import { ALPHABETS, LANGUAGES_OF_SCRIPT, NEIGHBOURS, SCRIPTS } from './languages-of-scripts.js'
import { ngramScoresOf } from './ngram-scores.js'
import { ASCII_TEXT, wordsIn } from './words.js'

/** A code of ISO 639-1, or of ISO 639-3 where the former has none. */
export type Language = string

/** Counts the other texts of a caller in each language. */
export type LanguageCounts = ReadonlyMap<Language, number>

/**
 * Returns the language of a text, read from the first 500 characters of prose in it, or null where that is uncertain: a
 * text that is short, mixed, without prose, or in a language close to another. `prior` decides close calls only. Its
 * accuracy and time are in docs/languages.md.
 */
export function languageOf(text: string, prior: LanguageCounts = NO_COUNTS): Language | null {
  const prose = proseOf(text)
  if (prose === '') return null
  const script = mainScriptOf(prose)
  if (script === null) return null
  if (script.name === 'Han') return languageOfHan(script.letters, prior)
  return script.language ?? detectedLanguage(script.letters, LANGUAGES_OF_SCRIPT[script.name], prior)
}

const NO_COUNTS: LanguageCounts = new Map()

/**
 * Returns the counts of a tenant's texts with those of a run in it. A text of the run counts as twenty others, and all others as a hundred at
 * most: five texts of a run weigh as much as the rest.
 */
export function withOfRun(tenant: LanguageCounts, run: LanguageCounts): LanguageCounts {
  const share = Math.min(1, TEXTS_BESIDE_RUN / Math.max(1, totalOf(tenant)))
  const counts = new Map([...tenant].map(([language, count]) => [language, count * share]))
  for (const [language, count] of run) counts.set(language, (counts.get(language) ?? 0) + count * TEXTS_FOR_ONE)
  return counts
}

const TEXTS_BESIDE_RUN = 100
const TEXTS_FOR_ONE = 20

/**
 * Returns the languages but English that enough of a tenant's texts are in to read a query in them whose own language is uncertain, the most
 * frequent first.
 */
export function frequentLanguages(counts: LanguageCounts): readonly Language[] {
  const least = FREQUENT_SHARE * totalOf(counts)
  const frequent = [...counts].filter(([language, count]) => language !== 'en' && count >= least)
  return frequent
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_FREQUENT)
    .map(([language]) => language)
}

const FREQUENT_SHARE = 0.05
/** Each adds a term to a word of the query. */
const MOST_FREQUENT = 3

function totalOf(counts: LanguageCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** UTF-16 units in which prose is looked for, and those of prose that are read. */
const SEARCHED = 2_000
const READ = 500

/** Returns the words of a text without code, addresses, identifiers, mentions, numbers and abbreviations. */
function proseOf(text: string): string {
  const words: string[] = []
  let length = 0
  for (const [token] of withoutHalfCharacter(text.slice(0, SEARCHED)).replace(CODE, ' ').matchAll(/\S+/g)) {
    const word = wordOf(token)
    if (word === '') continue
    words.push(word)
    length += word.length + 1
    if (length >= READ) break
  }
  const isShouted = !words.some((word) => SMALL_WORD.test(word))
  const prose = (isShouted ? words : words.filter((word) => !ABBREVIATION.test(word))).join(' ').slice(0, READ)
  return ASCII_TEXT.test(prose) ? prose : normaliseUnicode(withoutHalfCharacter(prose), 'NFC')
}

/** Fenced blocks and spans of Markdown; an unclosed block extends to the end. */
const CODE = /```[^]*?(?:```|$)|`[^`\n]*`/g
const SMALL_WORD = /^\p{Lu}?\p{Ll}{2,}/u
const ABBREVIATION = /^[A-Z]+s?$/

/** Returns what is prose in characters between white space, without the punctuation at both ends. */
function wordOf(token: string): string {
  const plain = PLAIN_WORD.exec(token)
  if (plain !== null) return plain[1]!
  if (!ASCII_TEXT.test(token) && OTHER_LETTER.test(token)) return token.replace(ASCII_RUN, ' ').trim()
  if (token.length > LONGEST_WORD) return ''
  const word = token.replace(EDGES, '')
  return NO_WORD.test(word) || ASCII_COMPOUND.test(word) ? '' : word
}

/** Most words of most texts, for which no other expression is needed. */
const PLAIN_WORD = /^([A-Za-z]?[a-z\u00df-\u00f6\u00f8-\u00ff]+)[.,;:!?]?$/
/** A letter of no Latin script: what is ASCII beside one is a name or code (`把replica数量改成3`, `pod'ы`). */
const OTHER_LETTER = /(?!\p{Script=Latin})\p{L}/u
const ASCII_RUN = /[\x21-\x7e]+/g
const LONGEST_WORD = 40
const EDGES = /^[^\p{L}@#]+|[^\p{L}]+$/gu
/** Digits, signs of code, paths and addresses, a joint of identifiers or a capital within a word. */
const NO_WORD = /[\p{N}_\\/@#=<>{}()[\]|*+~^$%&]|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}/u
const ASCII_COMPOUND = /^[A-Za-z]+(?:-[A-Za-z]+)+$/

/** A script with the letters of a text that are in it, where most of the text is. */
interface MainScript {
  readonly name: string
  readonly language: Language | null
  readonly letters: string
}

/**
 * Returns the script of a text. English words within a sentence of another script are usual, so that a third of the text
 * in that script suffices. Some words of another script in a Latin text are quoted. What is between is mixed.
 */
function mainScriptOf(prose: string): MainScript | null {
  if (LATIN_TEXT.test(prose)) return { name: 'Latin', language: null, letters: prose }
  const latin = count(prose, LATIN)
  const other = count(prose, OTHER_LETTERS)
  const found = scriptsIn(prose, other)
  const weight = found.reduce((sum, { weight }) => sum + weight, 0)
  if (latin > QUOTED * weight) return { name: 'Latin', language: null, letters: prose.replace(OTHER_LETTERS, ' ') }
  if (latin > ADMIXED * weight) return null
  const [first, second] = found.sort((a, b) => b.weight - a.weight)
  if (first === undefined) return null
  const letters = prose.replace(LATIN_WORD, ' ')
  const kana = found.find(({ script }) => script.name === 'Kana')
  const main = kana !== undefined && kana.weight > KANA_SHARE * weight ? kana : first
  if (kana !== main && (second?.weight ?? 0) > SECOND_SHARE * weight) return null
  return { name: main.script.name, language: main.script.language, letters }
}

const LATIN_TEXT = /^[\0-\u024f\u1e00-\u206f]*$/
const LATIN = /\p{Script=Latin}/gu
const LATIN_WORD = /\p{Script=Latin}+/gu
const OTHER_LETTERS = /(?!\p{Script=Latin})[\p{L}\p{M}]/gu
/** Latin letters beside those of another script above which these are quoted, and below which the Latin ones are. */
const QUOTED = 5
const ADMIXED = 2
/** Share of kana in a Japanese text, and of a second script in a text that is of one. */
const KANA_SHARE = 0.1
const SECOND_SHARE = 0.2

function scriptsIn(prose: string, letters: number): { script: (typeof SCRIPTS)[number]; weight: number }[] {
  const found = []
  let left = letters
  for (const script of SCRIPTS) {
    if (left <= 0) break
    const number = count(prose, script.letters)
    if (number === 0) continue
    left -= number
    found.push({ script, weight: number * (SYLLABLES.has(script.name) ? LETTERS_OF_SYLLABLE : 1) })
  }
  return found
}

/** Scripts of which a character is a syllable or a word. */
const SYLLABLES: ReadonlySet<string> = new Set(['Han', 'Kana', 'Hangul'])
const LETTERS_OF_SYLLABLE = 3

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0
}

/** Returns Chinese for Han characters without kana, unless they are few and most other texts are Japanese. */
function languageOfHan(letters: string, prior: LanguageCounts): Language | null {
  const length = count(letters, /\p{Script=Han}/gu)
  if (length > TITLE_OF_HAN) return 'zh'
  const [chinese, japanese] = [prior.get('zh') ?? 0, prior.get('ja') ?? 0]
  if (japanese > chinese) return 'ja'
  return length >= WORD_OF_HAN || chinese > japanese ? 'zh' : null
}

/** Characters of the longest titles in Japanese without kana, and of what is most likely Chinese. */
const TITLE_OF_HAN = 16
const WORD_OF_HAN = 4

/** Returns the language that the detector finds among `candidates`, of the Latin script when there are none. */
function detectedLanguage(
  letters: string,
  candidates: readonly Language[] | undefined,
  prior: LanguageCounts,
): Language | null {
  const words = wordsIn(letters.toLowerCase())
  const ngrams = ngramsIn(words)
  if (ngrams < FEWEST_NGRAMS) return null
  const total = totalOf(prior) + FEW_TEXTS
  let best = { language: '', likelihood: 0, own: 0 }
  let next = 0
  for (const [language, own] of ngramScoresOf(letters)) {
    if (candidates === undefined ? NOT_LATIN.has(language) : !candidates.includes(language)) continue
    const likelihood = own * ngrams + (PRIOR_WEIGHT * textsIn(language, prior)) / total
    if (likelihood > best.likelihood) {
      if (isSpeltIn(words, best.language)) next = best.likelihood
      best = { language, likelihood, own }
    } else if (likelihood > next && isSpeltIn(words, language)) next = likelihood
  }
  const leastOwn = candidates === undefined ? LEAST_OWN : LEAST_OWN_OF_OTHERS
  if (best.own < leastOwn || best.likelihood - next < LEAST_MARGIN || !isSpeltIn(words, best.language)) return null
  return neighbourOf(words, best.language, prior)
}

const NOT_LATIN: ReadonlySet<string> = new Set([
  ...Object.values(LANGUAGES_OF_SCRIPT).flat(),
  ...SCRIPTS.flatMap(({ language }) => language ?? []),
])

const FEWEST_NGRAMS = 4
/** Mean below which a text is in none of the languages that the detector knows. */
const LEAST_OWN = 48
const LEAST_OWN_OF_OTHERS = 75
/**
 * Sum by which the first language is ahead of the second, estimated by the mean of the n-grams that were scored. It grows with the text, and so
 * separates right from wrong better than the mean does.
 */
const LEAST_MARGIN = 100
/** Added to the sum of the language that all other texts are in, once these are many more than a few. */
const PRIOR_WEIGHT = 60
const FEW_TEXTS = 20

/** Returns the number of n-grams in words: of each word the first four bytes, every third after it, and the last. */
function ngramsIn(words: readonly string[]): number {
  let ngrams = 0
  for (const word of new Set(words)) ngrams += Math.max(0, Math.ceil((Buffer.byteLength(word) - 4) / 3)) + 1
  return ngrams
}

/** Returns how many other texts are in what the detector takes for this language. */
function textsIn(language: Language, prior: LanguageCounts): number {
  return (NEIGHBOURS[language] ?? [{ language }]).reduce((sum, one) => sum + (prior.get(one.language) ?? 0), 0)
}

function isSpeltIn(words: readonly string[], language: Language): boolean {
  const alphabet = ALPHABETS[language]
  if (alphabet === undefined) return true
  return words.filter((word) => !alphabet.test(word)).length <= FOREIGN_SHARE * words.length
}

/** Share of words with letters that a language does not have, which are names. */
const FOREIGN_SHARE = 0.1

/** Returns the language of two that the detector takes for one, by their frequent words. */
function neighbourOf(words: readonly string[], language: Language, prior: LanguageCounts): Language | null {
  const [first] = (NEIGHBOURS[language] ?? [])
    .map((one) => ({
      language: one.language,
      found: words.filter((word) => one.words.has(word)).length,
      others: prior.get(one.language) ?? 0,
    }))
    .sort((a, b) => b.found - a.found || b.others - a.others)
  return first?.language ?? language
}
