import { normaliseUnicode, plainLetters } from './characters.js'
import type { Language } from './language.js'
import { isCommonWord } from './names/common-words.js'
import { segmentedWords } from './analysis.js'
import { stopWordsOf } from './stop-words.js'

/** Words of one kind, such as negations, in one language. */
interface LexiconEntry {
  /** Small words with white space between them; `*` at either end stands for a few letters more. */
  readonly words?: string
  /** Alternatives of an expression for what stands between words that are joined to one ("einundzwanzig"); absent where they are not. */
  readonly joint?: string
  /** An expression for what is no whole word, or is several. */
  readonly patterns?: string
}

type LexiconTable = Readonly<Record<Language, LexiconEntry>>

/** Finds words of one kind in texts of any language. */
export interface Lexicon {
  readonly languages: readonly Language[]
  /**
   * Returns the words of a text, in small plain letters, that are of this kind: all of these languages, and of every other those that mean nothing
   * else elsewhere.
   */
  in(text: string, languages: readonly Language[]): string[]
}

/** Makes a lexicon; its words are read when a text first needs them. */
export function createLexicon(table: LexiconTable): Lexicon {
  let anywhere: Words | undefined
  const own = new Map<Language, Words>()
  const wordsOf = (language: Language) => {
    let words = own.get(language)
    if (words === undefined) own.set(language, (words = allWords(table[language]!)))
    return words
  }
  return {
    languages: Object.keys(table),
    in(text, languages) {
      anywhere ??= tellingWords(table)
      return [...wordsOfKind(text, [anywhere, ...languages.filter((one) => one in table).map(wordsOf)])]
    },
  }
}

interface Words {
  readonly whole: ReadonlySet<string>
  readonly forms: readonly RegExp[]
  readonly patterns: RegExp
}

function tellingWords(table: LexiconTable): Words {
  const entries = Object.entries(table)
  return {
    whole: new Set(
      entries.flatMap(([language, entry]) => wholeWords(entry).filter((word) => isTelling(word, language))),
    ),
    forms: [],
    patterns: expressionOf(
      entries.flatMap(([, { patterns }]) => (patterns && !LATIN.test(patterns) ? [patterns] : [])),
    ),
  }
}

function allWords(entry: LexiconEntry): Words {
  const { joint, patterns } = entry
  return {
    whole: new Set(wholeWords(entry)),
    forms: formsOf(writtenWords(entry), joint),
    patterns: expressionOf(patterns && LATIN.test(patterns) ? [patterns] : []),
  }
}

function writtenWords({ words = '' }: LexiconEntry): string[] {
  return plainLetters(words).split(' ').filter(Boolean)
}

function wholeWords(entry: LexiconEntry): string[] {
  return writtenWords(entry).filter((word) => !word.includes('*'))
}

function expressionOf(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|') || '(?!)', 'giu')
}

function formsOf(words: readonly string[], joint: string | undefined): RegExp[] {
  const open = words.filter((word) => word.includes('*')).map((word) => word.replaceAll('*', '\\p{L}{0,8}'))
  const forms = open.length === 0 ? [] : [new RegExp(`^(?:${open.join('|')})$`, 'u')]
  if (joint === undefined) return forms
  const parts = words.map((word) => word.replace('*', '')).join('|')
  const between = joint === '' ? '' : `(?:${joint}){0,2}`
  return [...forms, new RegExp(`^${between}(?:(?:${parts})${between}){2,6}$`, 'u')]
}

const LATIN = /(?<!\\)\p{Script=Latin}{2}/u
/** Shorter words of Latin letters mean something in some other language. */
const SHORTEST_TELLING = 4

/** Returns whether a word is taken for one of its language in a text of any other. */
function isTelling(word: string, language: Language): boolean {
  if (!LATIN_WORD.test(word)) return true
  if (word.length < SHORTEST_TELLING || (language !== 'en' && isCommonWord(word))) return false
  return OTHERS.every((other) => other === language || !stopWordsOf(other).has(word))
}

const LATIN_WORD = /\p{Script=Latin}/u
/** Languages of which a function word means nothing else in ours. */
const OTHERS: readonly Language[] = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ro', 'tr', 'id', 'vi']

/** Words are compared up to this length, so that a blob costs nothing. */
const LONGEST_WORD = 40

function* wordsOfKind(text: string, read: readonly Words[]): Generator<string> {
  const plain = plainLetters(normaliseUnicode(text, 'NFKC').toLowerCase()).replace(/[\u2018\u2019\u02bc]/g, "'")
  for (const word of segmentedWords(plain.replace(/n't\b/g, 'nt')))
    if (
      word.length <= LONGEST_WORD &&
      read.some(({ whole, forms }) => whole.has(word) || forms.some((form) => form.test(word)))
    )
      yield word
  for (const { patterns } of read) for (const [found] of plain.matchAll(patterns)) yield found
}
