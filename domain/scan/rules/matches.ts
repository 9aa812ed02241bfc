import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'

/** Returns where a pattern was found. */
export function rangeOf(found: RegExpExecArray): Span {
  return { start: found.index, end: found.index + found[0].length }
}

/** Returns where patterns are found in a text, one pattern after another. */
export function* rangesOf({ text }: Reading, ...patterns: readonly RegExp[]): Iterable<Span> {
  for (const pattern of patterns) for (const found of text.matchAll(pattern)) yield rangeOf(found)
}
