import { plainLetters } from './characters.js'
import type { Language } from './language.js'
import { isCommonWord } from './names/common-words.js'
import { stopWordsOf } from './stop-words.js'
import { ASCII_TEXT } from './words.js'

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

/** A text as lexicons read it: in small plain letters, with its words in order. */
export interface PlainText {
  readonly plain: string
  readonly words: readonly string[]
}

/** Finds words of one kind in texts of any language. */
export interface Lexicon {
  readonly languages: readonly Language[]
  /** Returns the words of a text that are of this kind: all of these languages, and of every other those that mean nothing else elsewhere. */
  in(text: PlainText, languages: readonly Language[]): string[]
}

/** Makes a lexicon; it is read when a text first needs it, and the forms of a language when one first needs these. */
export function createLexicon(table: LexiconTable): Lexicon {
  let index: Index | undefined
  const forms = new Map<Language, readonly RegExp[]>()
  const formsIn = (language: Language) => {
    let known = forms.get(language)
    if (known === undefined) forms.set(language, (known = formsOf(table[language])))
    return known
  }
  return {
    languages: Object.keys(table),
    in({ plain, words }, languages) {
      index ??= indexOf(table)
      const { whole, patterns } = index
      const all = languages.flatMap(formsIn)
      const isOfKind = (word: string) =>
        word.length <= LONGEST_WORD &&
        ((whole.get(word)?.some((one) => languages.includes(one) || isTelling(word, one)) ?? false) ||
          all.some((form) => form.test(word)))
      const found = words.filter(isOfKind)
      for (const [language, expression] of patterns)
        if (language === null ? !ASCII_TEXT.test(plain) : languages.includes(language))
          found.push(...(plain.match(expression) ?? []))
      return found
    },
  }
}

interface Index {
  /** The languages of each whole word. */
  readonly whole: ReadonlyMap<string, readonly Language[]>
  /** The expressions for texts of a language; null for one without Latin letters, which is for texts of any. */
  readonly patterns: readonly (readonly [Language | null, RegExp])[]
}

function indexOf(table: LexiconTable): Index {
  const whole = new Map<string, Language[]>()
  const patterns: [Language | null, RegExp][] = []
  const anywhere: string[] = []
  for (const [language, entry] of Object.entries(table)) {
    for (const word of writtenWords(entry)) {
      const languages = whole.get(word)
      if (languages === undefined) whole.set(word, [language])
      else languages.push(language)
    }
    if (entry.patterns === undefined) continue
    if (LATIN.test(entry.patterns)) patterns.push([language, new RegExp(entry.patterns, 'giu')])
    else anywhere.push(entry.patterns)
  }
  if (anywhere.length > 0) patterns.push([null, new RegExp(anywhere.join('|'), 'giu')])
  return { whole, patterns }
}

function writtenWords({ words = '' }: LexiconEntry): string[] {
  return plainLetters(words).split(' ').filter(Boolean)
}

/** Returns expressions of the words of a language that are not written out in its list. */
function formsOf(entry: LexiconEntry = {}): RegExp[] {
  const words = writtenWords(entry)
  // A word has letters, digits and marks; to name the letters makes an expression that takes ten times as long to make.
  const open = words.filter((word) => word.includes('*')).map((word) => word.replaceAll('*', '.{0,8}'))
  const forms = open.length === 0 ? [] : [new RegExp(`^(?:${open.join('|')})$`, 'u')]
  if (entry.joint === undefined) return forms
  const parts = words.map((word) => word.replace('*', '')).join('|')
  const between = entry.joint === '' ? '' : `(?:${entry.joint}){0,2}`
  return [...forms, new RegExp(`^${between}(?:(?:${parts})${between}){2,6}$`, 'u')]
}

const LATIN = /(?<!\\)\p{Script=Latin}{2}/u
/** Shorter words of Latin letters mean something in some other language. */
const SHORTEST_TELLING = 4

/** Returns whether a word is taken for one of its language in a text of any other. */
export function isTelling(word: string, language: Language): boolean {
  if (!LATIN_WORD.test(word)) return true
  if (word.length < SHORTEST_TELLING || (language !== 'en' && isCommonWord(word))) return false
  return OTHERS.every((other) => other === language || !stopWordsOf(other).has(word))
}

const LATIN_WORD = /\p{Script=Latin}/u
/** Languages of which a function word means nothing else in ours. */
const OTHERS: readonly Language[] = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ro', 'tr', 'id', 'vi']

/** Words are compared up to this length, so that a blob costs nothing. */
const LONGEST_WORD = 40
