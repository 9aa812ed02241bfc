import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { Cues, isQuoted } from './cues.js'

/** Parts of names and keywords of code that handles its strings as something to refuse or to look for. */
const REFUSES =
  /(?:^|[^a-z])(?:den(?:y|ied|ies)\w*|block(?!quote)\w*|forbid\w*|danger\w*|malicious|unsafe|disallow\w*|reject\w*|refuse[ds]?|banned|blacklist\w*|bad|attacks?|payloads?|patterns?|regex\w*|rules?|match\w*|assert\w*|expect|detect\w*|suspicious|grep|never|includes|contains|signatures?|samples?|fixtures?|test|prohibited|injections?)(?=[^a-z]|$)/
/** Names of what runs a string. */
const RUNS = /(?:system|exec|spawn|popen|subprocess|eval|invoke|run)\w*\s*(?:\(|$|["'`])|\|\s*(?:ba|z)?sh\b/
const COMMENT = /^\s*(?:#|\/\/|--|;|rem\b|::|\*|\/\*)/i
const LINES_BACK = 30

/**
 * Returns whether code treats the match as something to refuse: a string of a list of forbidden commands, of a search, of an assertion;
 * or a comment above it says so, unless the text around orders to run the code.
 */
export function isRefusedByCode(reading: Reading, at: number, match: Span, isOrdered: boolean): boolean {
  const line = reading.sentences[at]!
  const { from } = reading.blocks[line.block]!
  const text = textOf(reading, line)
  if (COMMENT.test(text)) return warns(reading, line)
  const before = reading.text.slice(line.start, match.start)
  // A pattern stands between slashes.
  const isPattern = /\/[^/\s]*$/.test(before) && /\/[a-z]*\.(?:test|exec)\(|\.(?:match|search)\(/.test(text)
  if (isPattern) return true
  if (isQuoted(reading.text, line, match) && (refuses(before) || refuses(openerOf(reading, at, from)))) return true
  const above = reading.sentences[at - 1]
  return !isOrdered && at > from && above !== undefined && COMMENT.test(textOf(reading, above)) && warns(reading, above)
}

/** Returns whether code has a name of refusal, and none that runs a string; `camelCase` and `snake_case` are words. */
function refuses(code: string): boolean {
  const words = code.replace(/([a-z])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ')
  return REFUSES.test(words.toLowerCase()) && !RUNS.test(code.toLowerCase())
}

function textOf(reading: Reading, { start, end }: Span): string {
  return reading.text.slice(start, end)
}

/** Returns the line that opens the list or object in which a line stands; '' where none is near. */
function openerOf(reading: Reading, at: number, first: number): string {
  for (let i = at - 1; i >= first && at - i <= LINES_BACK; i--) {
    const text = textOf(reading, reading.sentences[i]!)
    if (/[[({:]\s*$/.test(text)) return text
    if (/[\])}][,;]?\s*$/.test(text)) return ''
  }
  return ''
}

/** Returns whether a comment says not to, or that it is bad, and does not say to run it. */
function warns(reading: Reading, comment: Span): boolean {
  const cues = new Cues(reading, comment, null)
  if (cues.of('not').some((negation) => cues.governs(negation, Math.min(comment.end, negation.end + 40)))) return true
  return cues.orders(comment.start, comment.end).length === 0 && cues.of('bad').some((cue) => !cues.isNegated(cue))
}
