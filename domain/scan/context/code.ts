import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { Cues, isQuoted } from './cues.js'

/** Parts of names and keywords of code that handles its strings as something to refuse or to look for. */
const REFUSES =
  /(?:^|[^a-z])(?:den(?:y|ied|ies)\w*|block(?!quote)\w*|forbid\w*|danger\w*|malicious|unsafe|disallow\w*|hazard\w*|reject(?:ed|s)?|refuse[ds]?|banned|blacklist(?:ed)?|bad|evil|attacks?|payloads?|patterns?|regex(?:es|p)?|rules?|match(?:es)?|assert\w*|expect|raise|throw|abort|detect(?:s|ed|ion|or)?|suspicious|disallow(?:ed)?|grep|warn|indicators?|iocs?|never|should(?:refuse|block|reject)|is(?:safe|unsafe|dangerous|malicious)|includes|contains|signatures?|strings|hostile|samples?|fixtures?|test|it|describe|blacklist|prohibited|injections?|jailbreaks?)(?=[^a-z]|$)/
/** Names of what runs a string. */
const RUNS =
  /(?:system|exec|execsync|spawn|spawnsync|popen|subprocess|check_call|check_output|eval|invoke|shell_exec|passthru|sh -c|bash -c|cmd \/c|run)\s*(?:\(|$|["'`])|\|\s*(?:ba|z)?sh\b/
const COMMENT = /^\s*(?:#|\/\/|--|;|rem\b|::|\*|\/\*)/i
const LINES_BACK = 30

/**
 * Returns whether code treats the match as something to refuse: a string of a list of forbidden commands, of a search, of an assertion;
 * or a comment above it says so, unless the text around orders to run the code.
 */
export function isRefusedByCode(reading: Reading, at: number, match: Span, isOrdered: boolean): boolean {
  const line = reading.sentences[at]!
  const block = reading.blocks[line.block]!
  const before = reading.text.slice(line.start, match.start)
  if (COMMENT.test(reading.text.slice(line.start, line.end))) return warns(reading, line)
  const isString =
    isQuoted(reading.text, line, match) || /\/[^/\s]*$/.test(before) || /^\s{0,40}[-*]\s{0,8}["'/]?$/.test(before)
  if (isInPattern(reading, line, match)) return true
  if (isString && REFUSES.test(spaced(before)) && !RUNS.test(before.toLowerCase())) return true
  if (
    /^\s{0,40}-?\s{0,8}(?:pattern(?:-regex)?|regex|regexp|match|deny|block|forbidden|signature)\s{0,8}:/i.test(before)
  )
    return true
  const opener = openerOf(reading, at, block.from)
  if (
    opener &&
    (isString || /^\s{0,40}(?:- {0,4}["'/]?|["'/])$/.test(before)) &&
    REFUSES.test(spaced(textOf(reading, opener))) &&
    !RUNS.test(textOf(reading, opener).toLowerCase())
  )
    return true
  if (isOrdered) return false
  const comment = trailingComment(reading, line, match)
  if (comment && warns(reading, comment)) return true
  const above = reading.sentences[at - 1]
  return at > block.from && above !== undefined && COMMENT.test(textOf(reading, above)) && warns(reading, above)
}

/** Returns whether the match lies in a regular expression: between slashes, with signs that only a pattern has. */
function isInPattern(reading: Reading, line: Span, match: Span): boolean {
  const before = /(?:[=(,:]|\breturn)\s*\/([^/\n]{0,120})$/.exec(reading.text.slice(line.start, match.start))
  const after = /^[^\n]{0,160}?\/[dgimsuyv]{0,6}(?=[\s.,;)\]]|$)/.exec(reading.text.slice(match.end, line.end))
  return (
    before !== null &&
    after !== null &&
    /[\\|?*+[\]]/.test(before[1] + reading.text.slice(match.start, match.end) + after[0].slice(0, -1))
  )
}

/** Returns the text with `camelCase` and `snake_case` as words, in lower case. */
function spaced(text: string): string {
  return text
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .replaceAll('_', ' ')
    .toLowerCase()
}

function textOf(reading: Reading, { start, end }: Span): string {
  return reading.text.slice(start, end)
}

function indentOf(reading: Reading, { start }: Span): number {
  let at = start
  while (at > 0 && reading.text[at - 1] !== '\n') at--
  let indent = 0
  while (/[ \t]/.test(reading.text[at + indent] ?? '')) indent++
  return indent
}

/** Returns the line that opens the list or object in which a line stands. */
function openerOf(reading: Reading, at: number, first: number): Span | null {
  const indent = indentOf(reading, reading.sentences[at]!)
  for (let i = at - 1; i >= first && at - i <= LINES_BACK; i--) {
    const line = reading.sentences[i]!
    const isOpen = /[[({:]\s*$/.test(textOf(reading, line))
    if (isOpen && (indentOf(reading, line) < indent || (indent === 0 && /:\s*$/.test(textOf(reading, line)))))
      return line
  }
  return null
}

function trailingComment(reading: Reading, line: Span, match: Span): Span | null {
  const rest = /\s(?:#|\/\/|--)\s/.exec(reading.text.slice(match.end, line.end))
  return rest ? { start: match.end + rest.index, end: line.end } : null
}

/** Returns whether a comment says not to, or that it is bad, and does not say to run it. */
function warns(reading: Reading, comment: Span): boolean {
  const cues = new Cues(reading, comment, null)
  if (cues.of('not').some((negation) => cues.governs(negation, Math.min(comment.end, negation.end + 40)))) return true
  return cues.orders(comment.start, comment.end).length === 0 && cues.of('bad').some((cue) => !cues.isNegated(cue))
}
