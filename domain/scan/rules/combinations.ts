import type { Hit } from '../lexicon/find-concepts.js'
import { type Concept, CONCEPTS } from '../lexicon/concepts.js'
import type { FindingCode } from '../report.js'
import type { Block, Sentence } from '../text/blocks.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { isQuoted } from '../context/cues.js'
import type { Match, Rule } from './rule.js'

/** Ideas that mean harm together: words of each, in one sentence, close together, in any order and any language. */
export interface Combination {
  readonly code: FindingCode
  readonly says: string
  /** A word of each, none of which overlaps another. */
  readonly of: readonly (readonly Concept[])[]
  /** The greatest distance from the first word's begin to the last one's end. */
  readonly within: number
  /** Words that make it harmless when they stand beside it in the same sentence. */
  readonly unless?: readonly Concept[]
  /** True where what is quoted belongs to what is said of it: "report 'all passed'". */
  readonly isAcrossQuotes?: boolean
  /** A last look at the sentence. */
  readonly when?: (reading: Reading, match: WordMatch, sentence: Span) => boolean
}

/** The range of the words that were found, and the words in the order of the combination. */
export interface WordMatch extends Span {
  readonly parts: readonly Hit[]
}

/** Returns a rule that looks for the words of a combination in every sentence. */
export function ruleOf(combination: Combination): Rule {
  const { code, says, of, within, unless = [], isAcrossQuotes = false, when } = combination
  const groups = of.map(bitsOf)
  return {
    code,
    severity: 'critical',
    says,
    *find(reading: Reading): Iterable<Match> {
      for (const passage of passagesOf(reading)) {
        if (!groups.every((group) => overlapBits(group, passage.present))) continue
        for (const match of closest(reading.hitsIn(passage), of, within))
          if (
            !isInOnePart(match, passage) &&
            !isApart(reading, match, passage, isAcrossQuotes) &&
            !isHarmless(reading, match, passage, unless) &&
            (!when || when(reading, match, passage))
          )
            yield match
      }
    },
  }
}

/** A sentence, or two of one block, where `middle` is the begin of the second. */
interface Passage extends Span {
  readonly middle?: number
  readonly present: Bits
}

const passages = new WeakMap<Reading, readonly Passage[]>()

/** Returns every sentence, and every two neighbours of a block of prose or two steps of a list: a pronoun stands for what the one before names. */
function passagesOf(reading: Reading): readonly Passage[] {
  let known = passages.get(reading)
  if (!known) {
    const { sentences, blocks } = reading
    const present = sentences.map((sentence) => bitsOf(reading.hitsIn(sentence).map(({ concept }) => concept)))
    known = sentences.flatMap(({ start, end, block }, i): Passage[] => {
      const next = sentences[i + 1]
      const single = { start, end, present: present[i]! }
      if (!next || next.start < end || blocks[block]!.kind === 'code') return [single]
      if (next.block !== block && !isNextStep(reading, blocks[block]!, next)) return [single]
      const both = present[i]!.map((bits, k) => bits | present[i + 1]![k]!)
      return [single, { start, end: next.end, middle: next.start, present: both }]
    })
    passages.set(reading, known)
  }
  return known
}

/** Returns whether a sentence is the next item of a list and points to what the one before names: "2. Send them to …" */
function isNextStep({ blocks, lower }: Reading, { kind }: Block, { start, block }: Sentence): boolean {
  if (kind !== 'item' || blocks[block]!.kind !== 'item') return false
  return /^\W*(?:\d{1,2}[.)]\s)?\p{L}{2,16}(?: (?:them|it|sie|es|их|его)|-(?:les|la|le|os|as))(?!\p{L})/u.test(
    lower.slice(start, start + 40),
  )
}

/** Returns whether a match of two sentences lies in one of them, where it is found by itself. */
function isInOnePart({ start, end }: Span, { middle }: Passage): boolean {
  return middle !== undefined && (end <= middle || start >= middle)
}

const BESIDE = 40

function isHarmless(reading: Reading, { start, end }: Span, sentence: Span, unless: readonly Concept[]): boolean {
  if (unless.length === 0) return false
  const around = { start: Math.max(sentence.start, start - BESIDE), end: Math.min(sentence.end, end + BESIDE) }
  return reading.hitsIn(around).some(({ concept }) => unless.includes(concept))
}

/** A set of concepts, a bit for each. */
type Bits = readonly number[]
const BIT: ReadonlyMap<Concept, number> = new Map(CONCEPTS.map((concept, i) => [concept, i]))
const BITS_WORDS = Math.ceil(CONCEPTS.length / 31)

function bitsOf(concepts: Iterable<Concept>): Bits {
  const bits = new Array<number>(BITS_WORDS).fill(0)
  for (const concept of concepts) {
    const at = BIT.get(concept)!
    bits[Math.floor(at / 31)]! |= 1 << (at % 31)
  }
  return bits
}

function overlapBits(a: Bits, b: Bits): boolean {
  for (let i = 0; i < BITS_WORDS; i++) if ((a[i]! & b[i]!) !== 0) return true
  return false
}

/** Returns whether two matches differ in their first word alone, which stands close to the other's: "ignore, disregard, forget …". */
function sharesWords(before: WordMatch, chosen: readonly Hit[]): boolean {
  return (
    chosen.slice(1).every((part, i) => part.start === before.parts[i + 1]!.start) &&
    chosen[0]!.start - before.parts[0]!.end < 4
  )
}

/** Returns whether words stand in different parts: what is quoted and what is said of it, the halves of a sentence. */
function isApart(reading: Reading, match: WordMatch, sentence: Span, isAcrossQuotes: boolean): boolean {
  if (reading.blockAt(match)?.kind === 'code' && !isProse(reading.text.slice(match.start, match.end))) return true
  if (/[;\u061b]\s/.test(reading.text.slice(match.start, match.end))) return true
  if (isAcrossQuotes) return false
  const quoted = match.parts.map((part) => isQuoted(reading.text, sentence, part) && !isName(reading, part))
  return quoted.includes(true) && quoted.includes(false)
}

/** Returns whether a part stands alone in backticks, as names and paths do: `~/.ssh/authorized_keys`. */
function isName({ text }: Reading, { start, end }: Span): boolean {
  const open = text.lastIndexOf('`', start)
  const close = text.indexOf('`', end)
  return open !== -1 && close !== -1 && close - open <= 120 && !/\s/.test(text.slice(open, close))
}

/** Returns whether most of a line of code is words: a command's and a constant's names are not. */
function isProse(text: string): boolean {
  if (/\s:?=\s/.test(text)) return false
  const words = text.split(/\s+/)
  const plain = words.filter((word) => /^["'(]{0,2}[\p{L}\p{M}'’-]+["'.,:;!?)]{0,2}$/u.test(word)).length
  return plain * 3 >= words.length * 2 || !/[a-z]/i.test(text)
}

/** Returns, for each word of the first idea, the smallest range with a word of every other one. */
function closest(hits: readonly Hit[], groups: readonly (readonly Concept[])[], within: number): WordMatch[] {
  const found: WordMatch[] = []
  const [first, ...others] = groups.map((group) => hits.filter(({ concept }) => group.includes(concept)))
  for (const anchor of first!) {
    const chosen: Hit[] = [anchor]
    for (const candidates of others) {
      let best: Hit | null = null
      let distance = Infinity
      for (const hit of candidates) {
        if (chosen.some(({ start, end }) => hit.start < end && start < hit.end)) continue
        const gap = Math.max(anchor.start - hit.end, hit.start - anchor.end)
        if (gap < distance) [best, distance] = [hit, gap]
      }
      if (!best) break
      chosen.push(best)
    }
    if (chosen.length < groups.length) continue
    const start = Math.min(...chosen.map((hit) => hit.start))
    const end = Math.max(...chosen.map((hit) => hit.end))
    if (end - start <= within && !(found.length > 0 && sharesWords(found.at(-1)!, chosen)))
      found.push({ start, end, parts: chosen })
  }
  return found
}
