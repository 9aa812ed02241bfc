import { plainLetters } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { isTelling } from '../text/lexicon.js'
import { UNSPACED } from '../text/segments.js'
import { words } from './ending-words.js'
import table from './step-words.json' with { type: 'json' }

type Words = (typeof table)['en']
type Kind = keyof Words

const tables: Readonly<Record<Language, Words>> = table

/** The expressions that find what frames steps and goals in the texts of one language. Apostrophes are `'`. */
export interface StepExpressions {
  /** Matches a label that announces a goal, with its mark: `Task: `. */
  readonly label: RegExp
  /** Matches the beginning of a sentence that announces work. */
  readonly announcement: RegExp
  /** Matches the labels and words that an announced goal begins with. */
  readonly announcing: RegExp
  /** Matches a sentence that commands; of English, by irregular verbs: regular ones are told by their forms (goal.ts). */
  readonly command: RegExp
  /** Matches the beginning of a sentence that says what is the matter ("The disk is nearly full"). */
  readonly state: RegExp
  /** Matches a beginning that only says that one thing follows another. */
  readonly sequence: RegExp
  /** Matches verbs that come before their subject behind a word of sequence: "Danach wurde der Knoten geleert" has to keep it. */
  readonly verb: RegExp
  /** Matches words with a mark behind them that only begin a sentence. */
  readonly fillers: RegExp
  /** Matches what parts two steps of one sentence: ", and then". */
  readonly joint: RegExp
  /** Single words that say nothing of what is to be done. */
  readonly glue: readonly string[]
}

/** The languages whose words are known here. */
export const FORGE_LANGUAGES: readonly Language[] = Object.keys(tables)

const made = new Map<string, StepExpressions>()

/** Returns the expressions for a text in this language; null is an uncertain one. */
export function stepExpressions(language: Language | null | undefined): StepExpressions {
  const key = language && language in tables ? language : ''
  let expressions = made.get(key)
  if (expressions === undefined) made.set(key, (expressions = expressionsOf(key)))
  return expressions
}

/** Returns a text of the same length as the expressions read it. */
export function withPlainApostrophes(text: string): string {
  return text.replaceAll('\u2019', "'")
}

/** Returns a text without what an expression matches at its beginning. */
export function withoutBeginning(text: string, expression: RegExp): string {
  return text.slice(expression.exec(withPlainApostrophes(text))?.[0].length ?? 0)
}

/** Matches the mark behind a label, and behind a word that only begins a sentence; a hyphen within a word is none. */
const COLON = String.raw`(?:\s*[:\uff1a#]|\s*-+(?!\p{L})|\s+[\u2013\u2014])[:#-]*\s*`
const MARK = String.raw`\s*(?:[,.:!\u3001\u3002\uff0c\uff1a\uff01]|-+(?!\p{L}))+\s*`
/** Matches what stands between a word and the sentence that it introduces: nothing in a script without spaces or after an apostrophe. */
const BEFORE_SENTENCE = String.raw`(?:[,:\uff0c\uff1a\u3001]?\s+|(?<=${UNSPACED.source}|')[,:\uff0c\uff1a\u3001]?\s*)`

function expressionsOf(language: Language | ''): StepExpressions {
  const of = (...kinds: readonly Kind[]) => alternatives(listed(language, kinds))
  const unspaced = (kind: Kind) => alternatives(listed(language, [kind]).filter((word) => UNSPACED.test(word)))
  const labelled = (...kinds: readonly Kind[]) =>
    String.raw`[^\p{L}\p{N}]*(?:(?:${of('new')})\s*)?(?:${of(...kinds)})${COLON}`
  const expression = (source: string, flags = 'iu') => new RegExp(source, flags)
  return {
    label: expression(`^${labelled('labels', 'alarms')}`),
    announcement: expression(`^(?:${of('asks', 'announces')})`),
    announcing: expression(`^(?:${labelled('labels')}|(?:${of('asks', 'starts')})${BEFORE_SENTENCE})+`),
    command: expression(`^(?:${of('commands')})`),
    state: expression(
      String.raw`^(?:(?:\S+ ){1,6}?(?:${of('states')})|[^\s\u3002\uff0c]{1,20}?(?:${unspaced('states')}))`,
    ),
    sequence: expression(`^(?:${of('sequence')})${BEFORE_SENTENCE}(?=\\S)`),
    verb: expression(`^(?:${of('verbs')})`),
    fillers: expression(`^(?:(?:${of('fillers', 'sequence')})${MARK})+(?=\\S)`),
    joint: expression(
      String.raw`,?\s(?:${of('joints')})(?:\s+|$)|[\uff0c\u3001]?\s*(?:${unspaced('joints')})[\uff0c\u3001]?\s*`,
      'giu',
    ),
    glue: listed(language, ['glue', 'sequence']).filter((word) => !/[^\p{L}\p{M}]/u.test(word)),
  }
}

/** Returns alternatives of the words of all languages, for what a mark or a line of its own tells from anything else. */
export function ofAllLanguages(kind: Kind): string {
  return alternatives(Object.values(tables).flatMap((of) => of[kind].split(' ')))
}

/** Matches what makes an alternative more than words. */
const REGULAR = /[^\p{L}\p{M}'_-]/u
const NOTHING = '(?!)'

/** Joins words to alternatives that end where a word ends, but for scripts without spaces and after an apostrophe. */
function alternatives(list: readonly string[]): string {
  const isOpen = (word: string) => UNSPACED.test(word) || /['+\]]$/.test(word)
  const [open, ended] = [list.filter(isOpen), list.filter((word) => !isOpen(word))]
  const groups = [
    ...(ended.length === 0 ? [] : [`(?:${joined(ended)})${END}`]),
    ...(open.length === 0 ? [] : [joined(open)]),
  ]
  return groups.length === 0 ? NOTHING : groups.join('|')
}

function joined(list: readonly string[]): string {
  return words(list.join(' '))
}

/** Stands once behind all words: an expression with a class of letters behind each takes a second to compile. */
const END = String.raw`(?![\p{L}\p{N}_])`

/** Returns the words of English and of the language, and of every other those that mean nothing else elsewhere; the longest first. */
function listed(language: Language | '', kinds: readonly Kind[]): string[] {
  const found = Object.entries(tables).flatMap(([one, of]) =>
    kinds
      .flatMap((kind) => of[kind].split(' '))
      .filter((word) => word !== '' && (one === 'en' || one === language || isTellingIn(word, one, language))),
  )
  return [...new Set(found)].sort((a, b) => b.length - a.length)
}

/** Languages that share characters but not words: 先 leads to another step in Chinese, and begins 先ほど in Japanese. */
const SHARED: readonly (Language | '')[] = ['zh', 'ja']
const HAN = /\p{Script=Han}/u

/** Returns whether an alternative is read in texts of any language, or in those of the one that is read. */
function isTellingIn(alternative: string, language: Language, read: Language | ''): boolean {
  if (SHARED.includes(read) && HAN.test(alternative)) return false
  if (!/\p{Script=Latin}/u.test(alternative.replace(/\\(?:p\{\w+\}|\w)/g, ''))) return true
  return (
    !REGULAR.test(alternative) &&
    plainLetters(alternative)
      .split(/[_']/)
      .some((word) => isTelling(word, language))
  )
}
