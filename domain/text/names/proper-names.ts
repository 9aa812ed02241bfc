import type { Language } from '../language.js'
import { scriptOf } from '../languages-of-scripts.js'
import { withoutSuffixes } from '../affixes.js'
import { plainLetters } from '../characters.js'
import calendar from '../english-calendar.json' with { type: 'json' }
import { frequentWordsOf } from '../frequent-words.js'
import { stopWordsOf } from '../stop-words.js'
import listed from '../stop-words.json' with { type: 'json' }
import { isCommonWord } from './common-words.js'
import { type FoundName, LONGEST_NAME_WORDS } from './found-name.js'

interface Word {
  readonly text: string
  readonly isCapital: boolean
  readonly beginsSentence: boolean
  /** True when only a space separates it from the next word. */
  readonly continues: boolean
}

/**
 * Finds names by their capitals: runs of capitalised words, with `of`, `the`, `de` and the like inside. Where a capital
 * says nothing, at the beginning of a sentence and in titles, an English word is a name only if the dictionary does not
 * contain it; a dictionary word that begins a sentence is left out of the name after it ("Yesterday Ana", but also "New
 * York" as "York"). In other languages a frequent word that begins a sentence is left out of the name after it ("Ieri Giulia"), and a single
 * word that begins one is no name. In those that capitalise nouns two
 * such words side by side are one within a sentence ("an Jonas Weber"), a single word only after a title ("Frau Ortiz") or
 * as an abbreviation. An undecided text is read as English if it has the letters of English.
 */
export function properNames(text: string, language: Language | null): FoundName[] {
  const rules = rulesOf(language ?? (ENGLISH_LETTERS.test(text) ? 'en' : UNDECIDED))
  const names: FoundName[] = []
  for (const sentence of sentencesOf(parseWords(text, language))) {
    const isTitle = isInCapitals(sentence, rules)
    for (const run of runsOf(sentence, (word) => isPartOfName(word, isTitle, rules), rules)) {
      const named = rules.capitals === 'nouns' && TITLES.has(run[0]!.text) ? run.slice(1) : run
      if (isName(named, named.length < run.length, rules))
        names.push({ name: named.map(({ text: word }) => word).join(' '), type: 'name' })
    }
  }
  return names
}

/** The language of an undecided text that is not English. */
const UNDECIDED = 'und'

/** Says how capitals are read in a language. */
interface CapitalRules {
  readonly capitals: 'english' | 'names' | 'nouns'
  /** Words that are capitalised at times and are no names: function words, days and months. */
  readonly never: ReadonlySet<string>
  readonly functionWords: ReadonlySet<string>
  /** Returns whether a word in plain small letters begins sentences, and no name that does. */
  readonly beginsNoName: (word: string) => boolean
  readonly isLatin: boolean
}

const WITH_CAPITALS: ReadonlySet<string | undefined> = new Set(['Latn', 'Cyrl', 'Grek', 'Armn'])
/** Languages that capitalise their nouns. */
const WITH_CAPITAL_NOUNS: ReadonlySet<Language> = new Set(['de', 'lb'])
const known = new Map<Language, CapitalRules>()

function rulesOf(language: Language): CapitalRules {
  let rules = known.get(language)
  if (rules === undefined) {
    const functionWords = new Set(
      (language === UNDECIDED ? Object.keys(listed) : [language]).flatMap((one) => [...stopWordsOf(one)]),
    )
    const script = language === UNDECIDED ? 'Latn' : scriptOf(language)
    rules =
      language === 'en' || !WITH_CAPITALS.has(script)
        ? { capitals: 'english', never: NEVER_NAMES, functionWords, beginsNoName: () => false, isLatin: true }
        : {
            capitals: WITH_CAPITAL_NOUNS.has(language) ? 'nouns' : 'names',
            never: new Set([...functionWords, ...calendarWordsOf(language)]),
            functionWords,
            beginsNoName: (word) => language !== UNDECIDED && isFrequent(word, language),
            isLatin: script === 'Latn',
          }
    known.set(language, rules)
  }
  return rules
}

/** Among more words there are many given names. Those that English knows too are told from words by its dictionary. */
const MOST_FREQUENT = 1000

function isFrequent(word: string, language: Language): boolean {
  const rank = frequentWordsOf(language).get(word)
  return rank !== undefined && rank < MOST_FREQUENT && (isCommonWord(word) || !frequentWordsOf('en').has(word))
}

/** Returns the names of the days and months of a language, and their abbreviations, in small letters. */
function calendarWordsOf(language: Language): string[] {
  if (language === UNDECIDED) return []
  const days = [...Array(7).keys()].map((day) => Date.UTC(2024, 0, 1 + day))
  const months = [...Array(12).keys()].map((month) => Date.UTC(2024, month, 15))
  return (['long', 'short'] as const).flatMap((style) => {
    const [day, month, dated] = [
      { weekday: style },
      { month: style },
      // Of Slavic languages the genitive, as in a date.
      { month: style, day: 'numeric' as const },
    ].map((options) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }))
    const texts = [
      ...days.map((at) => day!.format(at)),
      ...months.flatMap((at) => [month!, dated!].map((of) => of.format(at))),
    ]
    return texts.flatMap(
      (text) =>
        plainLetters(text)
          .toLowerCase()
          .match(/\p{L}[\p{L}\p{M}-]*/gu) ?? [],
    )
  })
}

/** A text of these letters may be English. */
const ENGLISH_LETTERS = /^[\p{ASCII}\P{L}]*$/u

const TOKEN = /\S+/gu
const WORD = /\p{L}[\p{L}\p{M}\p{N}]{0,39}(?:['\u2019.&-][\p{L}\p{N}]{1,40}){0,4}/u
/** Punctuation that may surround a word; with anything else the token is no word: `DB_POOL_SIZE=20`. */
const SURROUNDING_PUNCTUATION = /^[^\p{L}\p{N}_=@#/\\]*$/u
const ENDS_SENTENCE = /[.!?:;\u2026"\u201d)\]]$/u
const BEGINS_AFTER = /^["\u201c\u2018'(\[*#>-]/u
const IS_MARK = /^[^\p{L}\p{N}]+$/u
const ABBREVIATED = /^(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Mt|\p{Lu})\.$/u
/** Matches most words, which need no further analysis. */
const PLAIN = /^[a-z]+$/
const LONGEST_TOKEN = 80

function parseWords(text: string, language: Language | null): Word[] {
  const words: Word[] = []
  let beginsSentence = true
  let line = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (text.slice(line, index).includes('\n')) beginsSentence = true
    line = index
    if (PLAIN.test(token)) {
      words.push({ text: token, isCapital: false, beginsSentence, continues: true })
      beginsSentence = false
      continue
    }
    const word = wordIn(token)
    const abbreviated = ABBREVIATED.test(token)
    const bare = withoutSuffixes(word?.[0] ?? '', [language]).replace(/['\u2019]s$/u, '')
    const end = word ? word.index + word[0].length : 0
    words.push({
      text: abbreviated ? token : bare,
      isCapital: /^\p{Lu}/u.test(bare),
      beginsSentence: beginsSentence || BEGINS_AFTER.test(token),
      continues: abbreviated || (word !== null && end === token.length && bare === word[0]),
    })
    // A mark of a list or a heading that stands alone changes nothing: "- For whom".
    beginsSentence = !abbreviated && (ENDS_SENTENCE.test(token) || (beginsSentence && IS_MARK.test(token)))
  }
  return words
}

function wordIn(token: string): RegExpExecArray | null {
  if (token.length > LONGEST_TOKEN) return null
  const word = WORD.exec(token)
  if (!word) return null
  const isWhole =
    SURROUNDING_PUNCTUATION.test(token.slice(0, word.index)) &&
    SURROUNDING_PUNCTUATION.test(token.slice(word.index + word[0].length))
  return isWhole ? word : null
}

function sentencesOf(words: readonly Word[]): Word[][] {
  const sentences: Word[][] = []
  for (const word of words) {
    if (word.beginsSentence || sentences.length === 0) sentences.push([])
    sentences.at(-1)!.push(word)
  }
  return sentences
}

/** Returns whether the sentence is written like a title, or all in capitals: capitals then say nothing. */
function isInCapitals(sentence: readonly Word[], { functionWords }: CapitalRules): boolean {
  const small = sentence.filter(({ isCapital }) => !isCapital)
  return sentence.length - small.length >= 4 && small.every(({ text }) => functionWords.has(text))
}

const CONNECTORS = new Set('of the de del della di da la le van von der den du al bin & for'.split(' '))

/** Returns the runs of capitalised words, including connectors between them. */
function runsOf(sentence: readonly Word[], isPart: (word: Word) => boolean, { capitals }: CapitalRules): Word[][] {
  const runs: Word[][] = []
  let run: Word[] = []
  let waiting: Word[] = []
  const close = () => {
    if (run.length > 0) runs.push(run)
    run = []
    waiting = []
  }
  for (const word of sentence) {
    if (word.isCapital && isPart(word)) {
      run.push(...waiting, word)
      waiting = []
    } else if (run.length > 0 && capitals !== 'nouns' && CONNECTORS.has(word.text) && waiting.length < 2)
      waiting.push(word)
    else close()
    if (!word.continues) close()
  }
  close()
  return runs
}

/** Returns whether a capitalised word may be part of a name. */
function isPartOfName(word: Word, isTitle: boolean, rules: CapitalRules): boolean {
  const { text, beginsSentence } = word
  if (rules.never.has(plainLetters(text.toLowerCase().replace(/['\u2019].*$/u, '')))) return false
  if (rules.capitals === 'english' || isForeign(word, rules))
    return !(beginsSentence || isTitle || IN_CAPITALS.test(text)) || !isCommonWord(text)
  if (isTitle || SHOUTED.test(text)) return false
  if (rules.capitals === 'names') return !(beginsSentence && rules.beginsNoName(plainLetters(text.toLowerCase())))
  return TITLES.has(text) || !(beginsSentence || HAS_DIGIT.test(text))
}

/** Returns true for a word of Latin letters in a language with others. */
function isForeign({ text }: Word, { isLatin }: CapitalRules): boolean {
  return !isLatin && LATIN.test(text)
}

const LATIN = /^\p{Script=Latin}/u
const IN_CAPITALS = /^\p{Lu}{2,}$/u
const ABBREVIATION = /^\p{Lu}{2,5}$/u
const HAS_DIGIT = /\d/
const SHOUTED = /^\p{Lu}{6,}$/u
/** Titles of people where nouns have capitals. */
const TITLES = new Set('Herr Herrn Frau Fräulein Familie Dr. Prof. Madame Monsieur Här'.split(' '))

/** Words that are always capitalised and are not names. */
const NEVER_NAMES = new Set(
  `${Object.values(calendar).join(' ')} i mr mrs ms dr am pm utc gmt todo fixme note pr http sqlstate`.split(/\s+/),
)

function isName(run: readonly Word[], hasTitle: boolean, rules: CapitalRules): boolean {
  const [first] = run
  if (run.length > LONGEST_NAME_WORDS || first === undefined) return false
  if (run.length > 1) return true
  if (rules.capitals === 'names' && first.beginsSentence && !isForeign(first, rules)) return false
  if (rules.capitals === 'nouns' && !hasTitle && !ABBREVIATION.test(first.text)) return false
  return first.text.length > 1 && !first.text.endsWith('.') && !(first.text.length < 3 && isCommonWord(first.text))
}
