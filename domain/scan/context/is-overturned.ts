import type { Sentence } from '../text/blocks.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { Cues, isQuoted } from './cues.js'

const SENTENCES_AHEAD = 6

/**
 * Returns whether the text takes its warning back: "… now run it", "ignore this warning", "except here". Looked for in the sentence of
 * the match, in the next ones under the same heading, and, for warnings as a whole, in all of the text.
 */
export function isOverturned(reading: Reading, at: number, match: Span): boolean {
  const heading = reading.blocks[reading.sentences[at]!.block]!.headings[0]
  for (let i = at; i <= at + SENTENCES_AHEAD && i < reading.sentences.length; i++) {
    const sentence = reading.sentences[i]!
    if (reading.blocks[sentence.block]!.headings[0] !== heading) break
    if (
      i === at
        ? takesBack(reading, sentence, new Cues(reading, sentence, match), match.end)
        : takesBackWarnings(reading, i)
    )
      return true
  }
  return dismissesWarnings(reading)
}

const retracting = new WeakMap<Sentence, boolean>()

/** Returns whether a sentence by itself takes back what was said before it. Judged once. */
function takesBackWarnings(reading: Reading, at: number): boolean {
  const sentence = reading.sentences[at]!
  let known = retracting.get(sentence)
  if (known === undefined)
    retracting.set(sentence, (known = takesBack(reading, sentence, new Cues(reading, sentence, null), sentence.start)))
  return known
}

function takesBack(reading: Reading, sentence: Span, cues: Cues, from: number): boolean {
  const isGuarded = (hit: Span & { concept: string }) =>
    cues.of('says', 'condition', 'inspect', 'attacker').some(({ start }) => start < hit.start) ||
    isQuoted(reading.text, sentence, hit)
  if (cues.of('anyway').some((hit) => hit.start >= from - 1 && !cues.isNegated(hit) && !isGuarded(hit))) return true
  if (reading.text[sentence.end - 1] === ':' || /\binstead\b/.test(reading.lower.slice(sentence.start, sentence.end)))
    return false
  return cues
    .orders(from, sentence.end)
    .some(
      (order) =>
        RUNS.test(reading.lower.slice(order.start, order.end)) && !isGuarded(order) && pointsBack(reading, order.end),
    )
}

const RUNS =
  /^(?:run|execute|exec|paste|invoke|launch|carry out|eval|führe|starte|exécute|exécutez|lance|lancez|ejecut|rode|запусти|запустите|выполни|выполните|运行|执行|実行して|実行し|نفذ|شغل)/u

/** Returns whether an order is about something that was named before: "run it", and not "run it: …" or "run this script:". */
function pointsBack(reading: Reading, from: number): boolean {
  return /^\s?(?:it|this|that|them|these|all of (?:it|them|these)|each of (?:them|these)|everything above|the (?:above|commands?(?: above)?|examples?(?: above)?|snippet|line above|one above))\b(?!\s*[:`"])(?!\s+(?:script|tool|check|test|skill|query|suite|playbook|job|with|in|from|against|on)\b)/u.test(
    reading.lower.slice(from, from + 60),
  )
}

const dismissed = new WeakMap<Reading, boolean>()

/** Returns whether the text says that its warnings do not count. */
function dismissesWarnings(reading: Reading): boolean {
  let known = dismissed.get(reading)
  if (known === undefined) {
    known = reading.sentences.some((sentence) => {
      const warnings = reading.hitsIn(sentence, 'warning')
      if (warnings.length === 0) return false
      const cues = new Cues(reading, sentence, null)
      return cues
        .of('ignore')
        .some(
          (hit) =>
            warnings.some(({ start }) => start >= hit.end && start - hit.end <= 24) &&
            !cues.isNegated(hit) &&
            cues.of('says', 'condition', 'attacker', 'detect').every(({ start }) => start > hit.start) &&
            !isQuoted(reading.text, sentence, hit),
        )
    })
    dismissed.set(reading, known)
  }
  return known
}
