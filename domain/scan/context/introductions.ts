import type { Sentence } from '../text/blocks.js'
import type { Reading } from '../text/reading.js'
import { Cues, isOrdinary, overlaps } from './cues.js'

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
    cues.of('this', 'such').length > 0 ||
    reading.blocks[intro.block]!.kind === 'row'
  if (!points) return null
  for (const negation of cues.of('not')) {
    const objects = cues
      .of('execute', 'this', 'such', 'delete', 'send', 'download', 'obey', 'add')
      .filter((hit) => !overlaps(hit, negation))
    if (objects.some(({ start }) => start >= negation.end && cues.governs(negation, start))) return 'forbids'
    if (intro.end - negation.end <= 28 && cues.governs(negation, intro.end)) return 'forbids'
    // The verb of German and Japanese stands before its negation.
    if (
      objects.some(({ end }) => end <= negation.start) &&
      intro.end - negation.end <= 40 &&
      cues.governs(negation, negation.end)
    )
      return 'forbids'
  }
  return cues.of('bad', 'detect', 'attacker').some((cue) => !cues.isNegated(cue) && !isOrdinary(reading, cue))
    ? 'describes'
    : null
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
