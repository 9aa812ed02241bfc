import { authorOf } from '../text/author.js'
import { withCompoundParts } from '../text/compounds.js'
import { embeddedText, textKey } from '../text/memory-text.js'
import { statedShare } from '../text/stated-share.js'
import { mentionsTime } from '../text/time-expressions.js'
import type { AnalysedText } from './candidate.js'
import { hashTerms } from './hashed-terms.js'
import { shortVector } from './short-vector.js'
import type { WordPieces } from './word-matches.js'

/** A memory's text, and all else that its analysis reads. Times are Unix milliseconds. */
export interface TimedText {
  readonly title: string | null
  readonly content: string
  readonly agentId: string | null
  /** The time that the memory is about: ts_valid_start, else created_at. */
  readonly at: number
  /** ts_valid_end. */
  readonly until: number | null
}

/**
 * Returns a memory's text as the scoring reads it; takes about 100 µs. A change of what this returns raises `TEXT_FORMAT`
 * (text-bytes.ts). `terms` are those that the memory is indexed by, `vector` is null when there is none (yet).
 */
export function analyseText(
  memory: TimedText,
  terms: readonly string[],
  vector: Float32Array | null,
  { piecesOf }: Pick<WordPieces, 'piecesOf'>,
): AnalysedText {
  const text = embeddedText(memory)
  return {
    terms: hashTerms(terms),
    length: terms.length,
    vector: vector && shortVector(vector),
    pieces: piecesOf(withCompoundParts(text)),
    author: authorOf(memory.content, memory.agentId),
    stated: statedShare(text),
    mentionsTime: mentionsTime(text),
    textKey: textKey(memory),
    at: memory.at,
    until: memory.until,
  }
}
