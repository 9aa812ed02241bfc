import { fold, groupOf } from '../text/analysis.js'
import { normaliseUnicode } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { isUnspaced, wordsOfUnspaced } from '../text/segments.js'
import { stopWordsOf } from '../text/stop-words.js'
import { statementWords, type WordKind } from './statement-words.js'

/** A longer text is no statement of one fact. */
export const LONGEST_STATEMENT = 200
/** Words of a script without spaces have one or two characters. */
const LONGEST_UNSPACED = 60
const MOST_WORDS = 40

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
  /** True when it says that something holds beside another, or that it happened once more. */
  readonly saysOneMore: boolean
}

/** Returns the statement of a text, in the language that it is most likely in; null for a question and a long text. */
export function statementOf(text: string, language: Language | null): Statement | null {
  const plain = text.length > LONGEST_STATEMENT ? text : normaliseUnicode(text, 'NFKC').trim()
  const longest = isUnspaced(plain) ? LONGEST_UNSPACED : LONGEST_STATEMENT
  if (plain.length > longest || QUESTION.test(plain)) return null
  const read = language ?? 'en'
  const words: StatementWord[] = []
  for (const [token] of plain.matchAll(TOKEN))
    for (const part of isUnspaced(token) ? wordsOfUnspaced(token) : [token]) {
      const word = wordOf(part, read)
      if (word !== null) words.push(word)
      if (words.length > MOST_WORDS) return null
    }
  // A break at the end divides nothing.
  while (words.at(-1)?.kind === 'break') words.pop()
  const additions = statementWords('additions', read)
  return { language: read, words, saysOneMore: words.some((word) => additions.has(word.plain)) }
}

const QUESTION = /[?\uff1f]$/u

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

export function isContent({ kind }: StatementWord): boolean {
  return kind === 'word' || kind === 'number'
}

const PAST = /^[a-z]{3,}ed$/

/** Returns whether an English clause tells what happened once ("closed ticket 7") rather than what holds since ("moved to Leeds"). */
export function isPastEvent(words: readonly StatementWord[], statement: Statement): boolean {
  if (statement.language !== 'en') return false
  return words.some((word) => PAST.test(word.text) && !isOf('changes', word, statement))
}
