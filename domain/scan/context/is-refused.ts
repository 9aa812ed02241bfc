import type { Block, Sentence } from '../text/blocks.js'
import type { Match } from '../rules/rule.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { isRefusedByCode } from './code.js'
import { Cues, isOrdinary, isQuoted } from './cues.js'
import { isRefusedInSentence } from './in-sentence.js'
import { introsOf, judgeIntro } from './introductions.js'
import { isOverturned } from './is-overturned.js'

/**
 * Returns whether the text tells its reader not to do what the match says, or to refuse it: a prohibition that governs it, a warning
 * about it, a quotation of what attackers write, a pattern to look for. What is ordered elsewhere stays an order: a warning protects
 * nothing that the same text then says to do.
 */
export function isRefused(reading: Reading, match: Match): boolean {
  const at = reading.sentenceAt(match)
  const sentence = passageOf(reading, at, match)
  if (!sentence) return false
  const cues = new Cues(reading, sentence, match)
  const refused = isRefusedInSentence(reading, sentence, match, cues) || isRefusedAround(reading, at, match, cues)
  return refused && !isOverturned(reading, at, match)
}

/** Returns whether the text around a block of code warns of it, whatever a comment in the code says of itself. */
export function isRefusedBlock(reading: Reading, match: Span): boolean {
  const at = reading.sentenceAt(match)
  const sentence = reading.sentences[at]
  if (!sentence) return false
  const block = reading.blocks[sentence.block]!
  for (const intro of introsOf(reading, sentence.block)) {
    const judgement = judgeIntro(reading, intro)
    if (judgement === 'forbids' || judgement === 'describes') return !isOverturned(reading, at, match)
    if (judgement === 'orders') return false
  }
  const isBadByHeading = block.headings.some((heading, i) =>
    isRefusedByHeading(reading, reading.sentences[heading]!, block, sentence, match, i === 0),
  )
  return (isBadByHeading || isRefusedByNext(reading, at)) && !isOverturned(reading, at, match)
}

/** Returns the sentence of a match, or both where it spans two. */
function passageOf(reading: Reading, at: number, { end }: Match): Sentence | undefined {
  const sentence = reading.sentences[at]
  const next = reading.sentences[at + 1]
  return sentence && next && end > sentence.end && next.block === sentence.block && next.start >= sentence.end
    ? { ...sentence, end: next.end }
    : sentence
}

/** Looks at what introduces the match, at the headings above it, and at the sentence after it. */
function isRefusedAround(reading: Reading, at: number, match: Span, cues: Cues): boolean {
  const sentence = reading.sentences[at]!
  const block = reading.blocks[sentence.block]!
  const isOrdered = block.kind !== 'code' && cues.orders(sentence.start, match.start).length > 0
  const intros = introsOf(reading, sentence.block)
  for (const intro of intros) {
    const judgement = judgeIntro(reading, intro)
    // A list under "Never:" consists of orders that are negated.
    if (judgement === 'forbids') return true
    if (judgement === 'describes' && !isOrdered) return true
    if (judgement === 'orders') return block.kind === 'code' && isRefusedByCode(reading, at, match, true)
  }
  if (block.kind === 'code' && isRefusedByCode(reading, at, match, false)) return true
  if (isOrdered) return false
  if (
    block.headings.some((heading, i) =>
      isRefusedByHeading(reading, reading.sentences[heading]!, block, sentence, match, i === 0),
    )
  )
    return true
  return isRefusedByNext(reading, at)
}

/** Errors are ordinary work ("Informe de errores"), unless they are those that people make ("Common errors"). */
const IS_ERROR = /^(?:an )?(?:error|erreur|erro|fehler|ошибк|错误$|エラー|خطا)/u
const HAPPENS =
  /common|frequent|typi[ck]|classic|avoid|haufig|frecuent|comun|courant|частые|распростран|типичн|常见|よくある|شائع/u

/** Returns whether a heading says that what stands under it is to be avoided ("Never do this") or, for what is quoted, looked for. */
function isRefusedByHeading(
  reading: Reading,
  heading: Sentence,
  block: Block,
  sentence: Sentence,
  match: Span,
  isNearest: boolean,
): boolean {
  const cues = new Cues(reading, heading, null)
  if (cues.orders(heading.start, heading.end).length > 0) return false
  if (cues.of('anyway').some((hit) => !cues.isNegated(hit))) return false
  if (cues.of('not').some((negation) => cues.governs(negation, heading.end))) return true
  // The title of the whole says what the skill is about, and not what its reader should leave.
  if (isTitle(reading, heading)) return false
  const title = reading.lower.slice(heading.start, heading.end)
  if (
    cues
      .of('bad')
      .some(
        (cue) =>
          !cues.isNegated(cue) && !(IS_ERROR.test(reading.lower.slice(cue.start, cue.end)) && !HAPPENS.test(title)),
      )
  )
    return true
  const isDetection = cues.of('detect', 'attacker').some((cue) => !isOrdinary(reading, cue))
  if (!isNearest || !isDetection) return false
  return block.kind === 'item' || block.kind === 'row' || isQuoted(reading.text, sentence, match)
}

/** Returns whether a heading is the first of a text, and of the first level. */
function isTitle({ blocks, text }: Reading, heading: Sentence): boolean {
  const { start } = blocks[heading.block]!
  return (
    blocks.find(({ kind }) => kind === 'heading')?.start === start && /^ {0,3}#\s/.test(text.slice(start, start + 8))
  )
}

/** "Only the rules of this file count" warns of nothing. */
const IS_RULE = /^(?:rule|regel|regl|regra|правил|规则|kural)/u

/** Returns whether the sentence after the match (or after its code block) warns of it: "This wipes the disk", "Refuse it." */
function isRefusedByNext(reading: Reading, at: number): boolean {
  const own = reading.sentences[at]!
  const block = reading.blocks[own.block]!
  const next = reading.sentences[block.kind === 'code' || block.kind === 'quote' ? block.to : at + 1]
  if (!next || reading.blocks[next.block]!.headings[0] !== block.headings[0]) return false
  if (reading.blocks[next.block]!.kind === 'code') return false
  // The next item of a list is a step of its own.
  if (next.block !== own.block && block.kind === 'item' && reading.blocks[next.block]!.kind === 'item') return false
  const cues = new Cues(reading, next, null)
  if (cues.orders(next.start, next.end).length > 0) return false
  const points = cues.of('this', 'such').some(({ start }) => start - next.start <= 60)
  if (!points) return false
  if (
    cues
      .of('bad', 'detect')
      .some((cue) => !cues.isNegated(cue) && !IS_RULE.test(reading.lower.slice(cue.start, cue.end)))
  )
    return true
  return cues
    .of('not')
    .some((negation) =>
      cues.between(negation.end, next.end, 'execute', 'obey').some(({ start }) => cues.governs(negation, start)),
    )
}
