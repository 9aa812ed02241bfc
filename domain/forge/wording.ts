import { withoutSuffixes } from '../text/affixes.js'
import { plainLetters } from '../text/characters.js'
import { frequentWordsOf } from '../text/frequent-words.js'
import type { Language } from '../text/language.js'
import { isCommonWord } from '../text/names/common-words.js'
import { namesIn } from '../text/names/names-in.js'
import type { Point } from './agglomerate.js'
import { type PlacedStatement, type StatementGroup, sumOf, unit } from './align.js'
import { stepExpressions, withoutBeginning } from './step-words.js'
import { BETWEEN_TOKENS } from './tokens.js'
import type { ForgeMemory } from './traces.js'
import type { ReadTrace } from './vocabulary.js'

/** Stands for what is another one in every run. */
const ELLIPSIS = '\u2026'
/** A name or number of fewer runs is the case at hand. */
const COMMON_SHARE = 0.34
/** Cost of a gap in a wording, against its similarity to the other statements. */
const GAP_COST = 0.05
/** Costs of a misspelled word, and of not being a sentence. */
const MISSPELLING_COST = 0.1
const FRAGMENT_COST = 0.03
/** Steps are one sentence; a longer one is cut after a word. */
const LONGEST_WORDING = 300

/** Words statements of a group by the one that is most like all of them, with gaps for what differs from run to run. */
export function createWording(traces: readonly ReadTrace[], rarity: Float64Array) {
  const texts = traces.map(({ statements }) => tokensOf(statements.map(({ text }) => text).join(' ')))
  const holders = new Map<string, number>()
  for (const tokens of texts) for (const token of tokens) holders.set(token, (holders.get(token) ?? 0) + 1)
  const isCommon = (token: string) => (holders.get(token) ?? 0) >= Math.max(2, COMMON_SHARE * traces.length)
  const named = new Set(traces.flatMap(({ trace }) => trace.memories.flatMap(namedTokens)))

  return function wordingOf(group: StatementGroup): { text: string; medoid: PlacedStatement } {
    const points = group.map(({ statement }) => unit(statement.terms, rarity))
    const sum = sumOf(points)
    const worded = group.map((one, i) => {
      const text = withGaps(one.statement.text, named, isCommon)
      const gaps = text.split(ELLIPSIS).length - 1
      return { medoid: one, text, value: likeness(points[i]!, sum) / group.length - GAP_COST * gaps - faultsOf(one) }
    })
    const [best] = worded.sort(
      (a, b) =>
        b.value - a.value ||
        a.text.length - b.text.length ||
        (a.medoid.statement.memory.id < b.medoid.statement.memory.id ? -1 : 1),
    )
    return { text: tidy(best!.text, best!.medoid.statement.memory), medoid: best!.medoid }
  }
}

function faultsOf({ statement: { misspelled, text } }: PlacedStatement): number {
  return MISSPELLING_COST * misspelled + (/^\p{Lu}.*\.$/u.test(text) ? 0 : FRAGMENT_COST)
}

function likeness({ ids, weights }: Pick<Point, 'ids' | 'weights'>, sum: ReadonlyMap<number, number>): number {
  let value = 0
  for (const [k, id] of ids.entries()) value += weights[k]! * sum.get(id)!
  return value
}

const PUNCTUATION = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

function bare(token: string): string {
  return withoutSuffixes(token.replace(PUNCTUATION, ''), ['tr']).toLowerCase()
}

function tokensOf(text: string): Set<string> {
  return new Set(text.split(BETWEEN_TOKENS).map(bare).filter(Boolean))
}

function namedTokens({ content, language }: ForgeMemory): string[] {
  return namesIn(content, null, language ?? null).flatMap(({ name, type }) =>
    type === 'term' ? [] : [...tokensOf(name)],
  )
}

/** Replaces numbers, identifiers and names that few runs have. */
function withGaps(text: string, named: ReadonlySet<string>, isCommon: (token: string) => boolean): string {
  const tokens = text.split(BETWEEN_TOKENS)
  let shown = ''
  let between = ''
  let isAfterGap = false
  for (const [i, token] of tokens.entries()) {
    if (i % 2 === 1) {
      between = token === '' ? '' : ' '
      continue
    }
    const word = bare(token)
    const isSpecific = /\p{N}/u.test(word) || named.has(word)
    const isGap = word !== '' && isSpecific && !isCommon(word)
    const said = isGap ? (/^[([]/.exec(token)?.[0] ?? '') + ELLIPSIS + (/[,.;:!?)\]]+$/.exec(token)?.[0] ?? '') : token
    if (said !== ELLIPSIS || !isAfterGap) shown += between + said
    isAfterGap = said.startsWith(ELLIPSIS)
  }
  return shown
}

function tidy(text: string, { language }: ForgeMemory): string {
  const shown = withoutBeginning(text, stepExpressions(language).fillers)
    .replace(/[\s;,:]+$/u, '')
    .replace(/^\p{Ll}+/u, (word) =>
      isCommonWord(word) || isFrequent(word, language) ? word[0]!.toUpperCase() + word.slice(1) : word,
    )
  return cutAtWord(shown, LONGEST_WORDING)
}

function isFrequent(word: string, language: Language | null | undefined): boolean {
  return language != null && language !== 'en' && frequentWordsOf(language).has(plainLetters(word))
}

/**
 * Cuts a text after a word so that it has at most so many UTF-8 bytes, an ellipsis included; within a word that would not fit alone, as that of a
 * script without spaces.
 */
export function cutAtWord(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  const left = bytes - Buffer.byteLength(ELLIPSIS)
  let cut = ''
  for (const part of text.split(/(?<=\s)/u)) {
    if (Buffer.byteLength((cut + part).trimEnd()) > left) {
      if (Buffer.byteLength(part.trimEnd()) > left) cut += firstCharacters(part, left - Buffer.byteLength(cut))
      break
    }
    cut += part
  }
  return cut.replace(/[\s,;:.\u2026-]+$/u, '') + ELLIPSIS
}

/** Returns the first whole characters of a text that have at most so many UTF-8 bytes. */
function firstCharacters(text: string, bytes: number): string {
  let [cut, size] = ['', 0]
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    cut += character
  }
  return cut
}
