import { embeddedText, nameKey, textKey } from '../text/memory-text.js'
import type { Language } from '../text/language.js'
import { speakerOf } from '../text/speakers.js'
import { mentionsTime } from '../text/mentions-time.js'
import { ASCII_TEXT, withCompoundParts } from '../text/words.js'
import type { AnalysedText, Author } from './candidate.js'
import { hashTerms } from './hashed-terms.js'
import speech from './speech.json' with { type: 'json' }
import { shortVector } from './vectors.js'
import type { WordPieces } from './word-matches.js'

/** A memory's text, and all else that its analysis reads. Times are Unix milliseconds. */
export interface TimedText {
  readonly title: string | null
  readonly content: string
  /** Null where it is uncertain. */
  readonly language: Language | null
  readonly agentId: string | null
  /** The time that the memory is about: ts_valid_start, else created_at. */
  readonly at: number
  /** ts_valid_end. */
  readonly until: number | null
}

/**
 * Returns a memory's text as the scoring reads it; takes about 100 µs. A change of what this returns raises `TEXT_FORMAT`
 * (text-bytes.ts). `terms` and `words` are those that the memory is indexed by, `vector` is null when there is none (yet).
 */
export function analyseText(
  memory: TimedText,
  { terms, words }: { readonly terms: readonly string[]; readonly words: number },
  vector: Float32Array | null,
  { piecesOf }: Pick<WordPieces, 'piecesOf'>,
): AnalysedText {
  const text = embeddedText(memory)
  return {
    terms: hashTerms(terms),
    length: words,
    vector: vector && shortVector(vector),
    pieces: piecesOf(withCompoundParts(text)),
    author: authorOf(memory.content, memory.agentId),
    stated: statedShare(text),
    mentionsTime: mentionsTime(text, memory.language),
    textKey: textKey(memory),
    at: memory.at,
    until: memory.until,
  }
}

/** Closing quotation marks and brackets. */
const CLOSING = String.raw`["'\u201d\u2019\u201c\u00bb)\]\u300d\u300f\uff09\u3011]`
/** Full stops and marks of scripts without spaces end a sentence whatever follows. */
const BETWEEN_SENTENCES = new RegExp(
  String.raw`(?<=[.!?\u061f\u0964\u2026]${CLOSING}{0,2})\s+|(?<=[\u3002\uff01\uff1f]${CLOSING}{0,2})(?!${CLOSING})|\n+`,
  'u',
)
const QUESTION_MARKS = String.raw`[?\uff1f\u061f\u2048\u2049]`
const IS_QUESTION = new RegExp(`${QUESTION_MARKS}${CLOSING}{0,2}$`, 'u')
/** Matches a question by its last word, in the languages that need no mark. */
const ENDS_ASKING = new RegExp(
  String.raw`(?:${Object.values(speech.questions).join('|')})[.\u3002\uff0e]?${CLOSING}{0,2}$`,
  'u',
)

/** Returns the share of a text that is not questions, 0..1 by length: a question does not contain the answer. */
export function statedShare(text: string): number {
  let asked = 0
  let all = 0
  const isAscii = ASCII_TEXT.test(text)
  for (const sentence of text.trim().split(BETWEEN_SENTENCES)) {
    all += sentence.length
    if (IS_QUESTION.test(sentence) || (!isAscii && ENDS_ASKING.test(sentence))) asked += sentence.length
  }
  return all === 0 ? 1 : 1 - asked / all
}

/** Returns the speaker that the text begins with, else the agent that wrote it. */
export function authorOf(content: string, agentId: string | null): Author | null {
  const speaker = speakerOf(content)
  if (speaker !== null) return { name: nameKey(speaker), isAgent: false }
  return agentId === null ? null : { name: nameKey(agentId), isAgent: true }
}
