import { fold, groupOf } from '../text/analysis.js'
import { normaliseUnicode } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { isUnspaced, wordsOfUnspaced } from '../text/segments.js'
import { stopWordsOf } from '../text/stop-words.js'
import { statementWords, type WordKind } from './statement-words.js'

/** A longer text is no statement of one fact. */
const LONGEST_STATEMENT = 400

/** One word of a statement. */
export interface StatementWord {
  /** Equal for two forms of a word. */
  readonly term: string
  /** Has plain small letters. */
  readonly plain: string
  /** The word as it was written. */
  readonly text: string
  /** `break` is punctuation that ends a clause; `relation` a word or sign between a thing and its value. */
  readonly kind: 'word' | 'number' | 'article' | 'function' | 'relation' | 'break'
}

/** A short text, as its words are compared. */
export interface Statement {
  readonly language: Language
  readonly words: readonly StatementWord[]
  /** The white space that indents its lines. */
  readonly indents: string
}

/** Returns the statement of a text, in the language that it is most likely in; null for a long text. */
export function statementOf(text: string, language: Language | null): Statement | null {
  if (text.length > LONGEST_STATEMENT) return null
  const read = language ?? 'en'
  const words: StatementWord[] = []
  for (const [token] of normaliseUnicode(text, 'NFKC').matchAll(TOKEN))
    for (const part of isUnspaced(token) ? wordsOfUnspaced(token) : [token]) {
      const word = wordOf(part, read)
      if (word !== null) words.push(word)
    }
  // A break at the end divides nothing.
  while (words.at(-1)?.kind === 'break') words.pop()
  return { language: read, words, indents: (text.match(/\n[^\S\n]+/g) ?? []).join('') }
}

/** Matches a word with single joiners inside, a sign between a thing and its value ("Limit: 5", "x = 5"), or punctuation that ends a clause. */
const TOKEN =
  /[\p{L}\p{N}\p{M}]+(?:[._\-:/@#+'\u2019][\p{L}\p{N}\p{M}]+)*[%\u00b0+#]*|[:=\u2192\u2013\u2014](?=\s)|[,;!?()\u3002\uff0c\u3001\uff1b\uff01\uff1f]+|\.(?!\s+\p{Ll})/gu
const HAS_DIGIT = /\p{N}/u
const HAS_LETTER = /[\p{L}\p{N}]/u
const RELATION_SIGN = /^[:=\u2192\u2013\u2014]$/u

/** Returns a word, or null for one that says only that a statement is new. */
function wordOf(text: string, language: Language): StatementWord | null {
  if (RELATION_SIGN.test(text)) return { term: '=', plain: '', text, kind: 'relation' }
  if (!HAS_LETTER.test(text)) return { term: ',', plain: '', text, kind: 'break' }
  const plain = fold(text)
  if (statementWords('updates', language).has(plain)) return null
  // "is", "was" and ":" state the same.
  if (statementWords('relations', language).has(plain)) return { term: '=', plain, text, kind: 'relation' }
  if (HAS_DIGIT.test(plain)) return { term: plain, plain, text, kind: 'number' }
  if (statementWords('articles', language).has(plain)) return { term: plain, plain, text, kind: 'article' }
  if (stopWordsOf(language).has(plain)) return { term: plain, plain, text, kind: 'function' }
  return { term: groupOf(text, language)?.[0] ?? plain, plain, text, kind: 'word' }
}

/** Returns whether a word is of a kind in the language of its statement. */
export function isOf(kind: WordKind, { plain }: StatementWord, { language }: Statement): boolean {
  return statementWords(kind, language).has(plain)
}

/** Returns whether a statement says that something holds beside another, or that it happened once more. */
export function saysOneMore(statement: Statement): boolean {
  return statement.words.some((word) => isOf('additions', word, statement))
}

const PAST = /^[a-z]{3,}ed$/

/** Returns whether an English clause tells what happened once ("closed ticket 7") rather than what holds since ("moved to Leeds"). */
export function isPastEvent(words: readonly StatementWord[], statement: Statement): boolean {
  if (statement.language !== 'en') return false
  return words.some((word) => PAST.test(word.text) && !isOf('changes', word, statement))
}

/**
 * Returns whether two statements say the same: the same words in the same order, beside articles and what relates a thing to its value. One may have
 * prepositions that the other leaves out ("Deploy window: Tuesday", "The deploy window is on Tuesday"). Capitals tell words apart but at the
 * beginning of longer ones, and lines are indented alike, since `-d` is not `-D` in a command.
 */
export function stateTheSame(a: Statement, b: Statement): boolean {
  if (a.indents !== b.indents || saysOneMore(a) !== saysOneMore(b)) return false
  return contentOf(a) === contentOf(b) && (onlyLeavesOut(a, b) || onlyLeavesOut(b, a))
}

function contentOf({ words }: Statement): string {
  return words.flatMap((word) => (word.kind === 'word' || word.kind === 'number' ? writtenForm(word) : [])).join('\n')
}

/** Returns whether a statement has all function words of another but some prepositions. */
function onlyLeavesOut(a: Statement, b: Statement): boolean {
  const left = a.words.filter(({ kind }) => kind === 'function')
  const others = b.words.filter(({ kind }) => kind === 'function')
  for (const { term } of others) {
    const at = left.findIndex((word) => word.term === term)
    if (at !== -1) left.splice(at, 1)
    else if (!statementWords('prepositions', b.language).has(term)) return false
  }
  return left.length === 0
}

const SHORTEST_CAPITALISED = 3

/** Returns a word's term, marked with its capitals unless it has none but at its beginning. */
function writtenForm({ term, text }: StatementWord): string {
  const others = text.length < SHORTEST_CAPITALISED ? text : text.slice(1)
  return others === others.toLowerCase() ? term : `${term} ${text}`
}
