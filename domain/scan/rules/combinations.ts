import type { Hit } from '../lexicon/find-concepts.js'
import type { Concept } from '../lexicon/concepts.js'
import type { FindingCode, Severity } from '../report.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { isQuoted } from '../context/cues.js'
import type { Match, Rule } from './rule.js'

/** Ideas that mean harm together: words of each, in one sentence, close together, in any order and any language. */
export interface Combination {
  readonly code: FindingCode
  readonly severity?: Severity
  readonly says: string
  /** A word of each, none of which overlaps another. */
  readonly of: readonly (readonly Concept[])[]
  /** The greatest distance from the first word's begin to the last one's end. */
  readonly within: number
  /** Words that make it harmless when they stand in the same sentence. */
  readonly unless?: readonly Concept[]
  /** A last look at the sentence. */
  readonly when?: (reading: Reading, match: WordMatch, sentence: Span) => boolean
}

/** The range of the words that were found, and the words in the order of the combination. */
export interface WordMatch extends Span {
  readonly parts: readonly Span[]
}

/** Returns a rule that looks for the words of a combination in every sentence. */
export function ruleOf({ code, severity = 'critical', says, of, within, unless = [], when }: Combination): Rule {
  return {
    code,
    severity,
    says,
    *find(reading: Reading): Iterable<Match> {
      for (const sentence of reading.sentences) {
        const present = conceptsOf(reading, sentence)
        if (!of.every((group) => group.some((concept) => present.has(concept)))) continue
        if (unless.some((concept) => present.has(concept))) continue
        for (const match of closest(reading.hitsIn(sentence), of, within))
          if (!isApart(reading, match, sentence) && (!when || when(reading, match, sentence))) yield match
      }
    },
  }
}

const presence = new WeakMap<Span, ReadonlySet<Concept>>()

function conceptsOf(reading: Reading, sentence: Span): ReadonlySet<Concept> {
  let present = presence.get(sentence)
  if (!present) {
    present = new Set(reading.hitsIn(sentence).map(({ concept }) => concept))
    presence.set(sentence, present)
  }
  return present
}

/** Returns whether two matches differ in their first word alone, which stands close to the other's: "ignore, disregard, forget …". */
function sharesWords(before: WordMatch, chosen: readonly Span[]): boolean {
  return (
    chosen.slice(1).every((part, i) => part.start === before.parts[i + 1]!.start) &&
    chosen[0]!.start - before.parts[0]!.end < 4
  )
}

/** Returns whether words stand in different parts: what is quoted and what is said of it, the halves of a sentence. */
function isApart(reading: Reading, match: WordMatch, sentence: Span): boolean {
  const isCode = reading.blocks[reading.sentences[reading.sentenceAt(match)]!.block]!.kind === 'code'
  // The name of a constant and its value.
  if (isCode && /\s:?=\s/.test(reading.text.slice(match.start, match.end))) return true
  if (/[;\u061b]\s/.test(reading.text.slice(match.start, match.end))) return true
  const quoted = match.parts.map((part) => isQuoted(reading.text, sentence, part))
  return quoted.includes(true) && quoted.includes(false)
}

/** Returns, for each word of the first idea, the smallest range with a word of every other one. */
function closest(hits: readonly Hit[], groups: readonly (readonly Concept[])[], within: number): WordMatch[] {
  const found: WordMatch[] = []
  const [first, ...others] = groups.map((group) => hits.filter(({ concept }) => group.includes(concept)))
  for (const anchor of first!) {
    const chosen: Span[] = [anchor]
    for (const candidates of others) {
      let best: Span | null = null
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
