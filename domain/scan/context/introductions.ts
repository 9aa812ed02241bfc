import type { Sentence } from '../text/blocks.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { Cues, overlaps } from './cues.js'

export type IntroJudgement = 'forbids' | 'describes' | 'orders' | null

/** Judges a sentence that ends with a colon, or that points to what follows it. */
export function judgeIntro(reading: Reading, intro: Sentence): IntroJudgement {
  const cues = new Cues(reading, intro, null)
  const isOrder =
    cues.orders(intro.start, intro.end).length > 0 ||
    cues
      .of('decode', 'add', 'download', 'send')
      .some(({ start }) => start - intro.start <= 3 && /[a-z\u0430-\u044f]/.test(reading.lower[start]!))
  if (isOrder) return 'orders'
  const points =
    reading.text[intro.end - 1] === ':' ||
    isLabel(reading, intro) ||
    cues.of('this', 'such').length > 0 ||
    reading.blocks[intro.block]!.kind === 'row'
  if (!points) return null
  for (const negation of cues.of('not')) {
    if (cues.isConditional(negation)) continue
    const objects = cues
      .of('execute', 'this', 'such', 'delete', 'send', 'download', 'obey', 'add')
      .filter((hit) => !overlaps(hit, negation))
    if (objects.some(({ start }) => start >= negation.end && cues.governs(negation, start))) return 'forbids'
    if (isStatement(reading, negation)) continue
    if (intro.end - negation.end <= 28 && cues.governs(negation, intro.end)) return 'forbids'
    // The verb of German and Japanese stands before its negation.
    if (
      objects.some(({ end }) => end <= negation.start) &&
      intro.end - negation.end <= 40 &&
      cues.governs(negation, negation.end)
    )
      return 'forbids'
  }
  return cues
    .of('bad', 'detect', 'attacker')
    .some((cue) => !cues.isNegated(cue) && !TELLS.test(reading.lower.slice(cue.start, cue.end)))
    ? 'describes'
    : null
}

/** Words that tell what happens or happened, and judge nothing: "machines are wiped each evening". */
const TELLS =
  /^(?:wiped?|wipes|destroy|erase|delet|loscht|zerstort|vernichtet|efface|detruit|error|erreur|fehler\b|wrong|incorrect|deprecat|must go|has to go|lost|is lost|are lost|perdida|unusable|catch|report|melde|signal|incident|trigger|strip|filter|filtr|finding|regeln?$|reglas?$|regras?$|regles?$|правил|规则|match|discard|abort|symptom)/u

/** Returns whether a negation tells how something is, and not what to do: "it is never vendored:". */
function isStatement(reading: Reading, { start, end }: Span): boolean {
  if (/^\s(?:to be|allowed|permitted|acceptable|run|used?|execute|do)\b/.test(reading.lower.slice(end, end + 14)))
    return false
  return /\b(?:is|are|was|were|be|been|has|have|had|does|do|did|it|there|which|ist|sind|wird|wurde|est|sont|es|son|e|sao|sono)\s$/.test(
    reading.lower.slice(Math.max(0, start - 8), start),
  )
}

/** Returns whether a paragraph is a label of what follows it: a few words, in bold or without a full stop. */
function isLabel(reading: Reading, { start, end }: Span): boolean {
  const text = reading.text.slice(start, end)
  return text.length <= 48 && (/^\*\*.*\*\*:?$/.test(text) || !/[.!?\u3002]$/.test(text)) && !text.includes('`')
}

const MOST_BLOCKS_BACK = 60

/** Returns the sentences that introduce a block, the nearest first: the item above a nested one, the paragraph above a list or code. */
export function introsOf(reading: Reading, index: number): Sentence[] {
  const block = reading.blocks[index]!
  const found: Sentence[] = []
  let indent = block.indent
  let kind = block.kind
  for (let i = index - 1; i >= 0 && index - i <= MOST_BLOCKS_BACK; i--) {
    const above = reading.blocks[i]!
    const last = reading.sentences[above.to - 1]
    if (!last || above.headings[0] !== block.headings[0] || above.kind === 'heading') break
    if (kind === 'row' && above.kind === 'row') {
      if (reading.blocks[i - 1]?.kind !== 'row') found.push(reading.sentences[above.from]!)
      continue
    }
    // Several quotations have one introduction.
    if (kind === 'quote' && above.kind === 'quote') continue
    if (above.kind === 'code') {
      if (kind !== 'code') break
      continue
    }
    if (kind === 'item' && above.kind === 'item' && above.indent >= indent) continue
    if (kind === 'paragraph' && reading.text[last.end - 1] !== ':') break
    found.push(last)
    if (above.kind !== 'item') break
    kind = 'item'
    indent = above.indent
  }
  return found
}
