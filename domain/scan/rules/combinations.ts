import { isQuoted } from '../context/cues.js'
import { type Concept, CONCEPTS } from '../lexicon/concepts.js'
import { type Hit, isEnglish } from '../lexicon/find-concepts.js'
import type { Severity } from '../report.js'
import type { FindingCode } from '../finding-codes.js'
import type { Block, Sentence } from '../text/blocks.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { isOrder } from './is-order.js'
import type { Match, Rule } from './rule.js'

/**
 * Ideas that may mean harm together, a row of a table: a word of each, none of which overlaps another, in one sentence and close together.
 */
interface Combination {
  readonly code: FindingCode
  readonly says: string
  readonly of: readonly (readonly Concept[])[]
  /** The greatest distance from the first word's begin to the last one's end. */
  readonly within: number
  /** The first idea is an order to the reader. In English it stands before what it is about; other languages order words freely. */
  readonly isOrder?: boolean
  /** Looks at two neighbouring sentences too: "Read ~/.netrc. Send it to …" */
  readonly isAcross?: boolean
  /** Words that make it harmless when they stand beside it in the same sentence. */
  readonly unless?: readonly Concept[]
  /** True where what is quoted belongs to what is said of it: "report 'all passed'". */
  readonly isAcrossQuotes?: boolean
  /** A last look at the sentence. */
  readonly when?: Check
  /** Returns whether a match is certain: it quarantines. */
  readonly isCertain?: Check
}

export type Check = (reading: Reading, match: WordMatch, sentence: Span) => boolean

/** A row as its file has it: checks by their names. */
type Row = Omit<Combination, 'when' | 'isCertain'> & { readonly when?: string; readonly isCertain?: string }

/** Returns the rules of a table. Throws for a check that nothing has. */
export function rulesOf(table: readonly object[], checks: Readonly<Record<string, Check>>): Rule[] {
  const checkOf = (name: string | undefined) => {
    const check = name === undefined ? undefined : checks[name]
    if (name !== undefined && !check) throw new Error(`There is no check ${name}.`)
    return check
  }
  return (table as readonly Row[]).map((row) =>
    ruleOf({ ...row, when: checkOf(row.when), isCertain: checkOf(row.isCertain) }),
  )
}

/** The range of the words that were found, and the words in the order of the combination. */
export interface WordMatch extends Span {
  readonly parts: readonly Hit[]
}

/** Returns a rule that looks for the words of a combination in every sentence. What it finds is flagged, for a person to decide. */
function ruleOf(combination: Combination): Rule {
  const { code, says, of, isAcross = false, isCertain } = combination
  const groups = of.map(bitsOf)
  return {
    code,
    severity: 'warn',
    says,
    *find(reading: Reading): Iterable<Match> {
      for (const passage of passagesOf(reading)) {
        if (passage.middle !== undefined && !isAcross) continue
        if (!groups.every((group) => overlapBits(group, passage.present))) continue
        for (const match of closest(reading, passage, combination)) {
          if (!holds(reading, match, passage, combination)) continue
          const severity: Severity = isCertain?.(reading, match, passage) ? 'critical' : 'warn'
          yield { ...match, severity }
        }
      }
    },
  }
}

function holds(reading: Reading, match: WordMatch, passage: Passage, combination: Combination): boolean {
  const { unless = [], isAcrossQuotes = false, when } = combination
  return (
    !isInOnePart(match, passage) &&
    !(combination.isOrder && !isOrder(reading, match.parts[0]!, passage)) &&
    !isApart(reading, match, passage, isAcrossQuotes) &&
    !isHarmless(reading, match, passage, unless) &&
    (!when || when(reading, match, passage))
  )
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

/** Returns whether words stand in different parts: what is quoted and what is said of it, the halves of a sentence, the cells of a row. */
function isApart(reading: Reading, match: WordMatch, sentence: Span, isAcrossQuotes: boolean): boolean {
  const between = reading.text.slice(match.start, match.end)
  const kind = reading.blockAt(match)?.kind
  if (kind === 'code' && !isProse(between)) return true
  if (/[;\u061b]\s/.test(between) || (kind === 'row' && between.includes('|'))) return true
  if (isAcrossQuotes) return false
  const quoted = match.parts.map((part) => isQuoted(reading.text, sentence, part) && !isName(reading, part))
  return quoted.includes(true) && quoted.includes(false)
}

/** Returns whether a part stands alone in backticks, as names, paths and commands do: `~/.ssh/authorized_keys`. */
function isName({ text }: Reading, { start, end }: Span): boolean {
  const open = text.lastIndexOf('`', start)
  const close = text.indexOf('`', end)
  return open !== -1 && close !== -1 && close - open <= 240
}

/** Returns whether most of a line of code is words: a command's and a constant's names are not. */
function isProse(text: string): boolean {
  if (/\s:?=\s/.test(text)) return false
  const words = text.split(/\s+/)
  const plain = words.filter((word) => /^["'(]{0,2}[\p{L}\p{M}'’-]+["'.,:;!?)]{0,2}$/u.test(word)).length
  return plain * 3 >= words.length * 2 || !/[a-z]/i.test(text)
}

/** Returns, for each word of the first idea, the smallest range with a word of every other one. */
function closest(reading: Reading, passage: Span, combination: Combination): WordMatch[] {
  const { of, within, isOrder: leads = false } = combination
  const hits = reading.hitsIn(passage)
  const { lower } = reading
  const found: WordMatch[] = []
  const [first, ...others] = of.map((group) => hits.filter(({ concept }) => group.includes(concept)))
  for (const anchor of first!) {
    const chosen: Hit[] = [anchor]
    const isAhead = leads && isEnglish(anchor) && !PRONOUN.test(lower.slice(anchor.end, anchor.end + 8))
    for (const [i, candidates] of others.entries()) {
      const hit = nearest(candidates, anchor, chosen, isAhead && i === 0)
      if (!hit) break
      chosen.push(hit)
    }
    if (chosen.length < of.length) continue
    const start = Math.min(...chosen.map((hit) => hit.start))
    const end = Math.max(...chosen.map((hit) => hit.end))
    if (
      end - start <= within &&
      areOfOneLanguage(lower, chosen, hits) &&
      !(found.length > 0 && sharesWords(found.at(-1)!, chosen))
    )
      found.push({ start, end, parts: chosen })
  }
  return found
}

/** A pronoun stands for what the sentence names before: "collect the keys and send them". */
const PRONOUN = /^\s(?:it|them|these|those|this|all)\b/

/** Names of files, keys and places are the same in every language. */
const NEUTRAL: ReadonlySet<Concept> = new Set(['outside', 'sensitive', 'script', 'agentFile', 'malware', 'wallet'])

/**
 * Returns whether one language has all of the words: a short word of another one means something else in an English sentence. Of a language
 * with Latin letters the sentence has two words at least that English has not.
 */
function areOfOneLanguage(text: string, chosen: readonly Hit[], around: readonly Hit[]): boolean {
  let common = ~0
  for (const { concept, languages } of chosen) if (!NEUTRAL.has(concept)) common &= languages
  if (common === 0 || (common & 1) !== 0) return common !== 0
  if (!/[a-z]/.test(text[chosen[0]!.start]!)) return true
  const own = around.filter(
    ({ languages, start, end }) => (languages & common) !== 0 && (languages & 1) === 0 && end - start > 2,
  )
  return new Set(own.map(({ start }) => start)).size > 1
}

function nearest(candidates: readonly Hit[], anchor: Hit, chosen: readonly Hit[], isAhead: boolean): Hit | null {
  let best: Hit | null = null
  let distance = Infinity
  for (const hit of candidates) {
    if (isAhead && isEnglish(hit) && hit.start < anchor.end) continue
    if (chosen.some(({ start, end }) => hit.start < end && start < hit.end)) continue
    const gap = Math.max(anchor.start - hit.end, hit.start - anchor.end)
    if (gap < distance) [best, distance] = [hit, gap]
  }
  return best
}
