import { characterCount } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { estimateTokens } from './token-count.js'

/** Bounds on the texts of an answer to a recall; characters are code points. */
export interface Budget {
  readonly tokens: number
  readonly characters: number
}

/** One answer, as it is packed. */
export interface Parcel {
  readonly score: number
  readonly language: Language | null
  /** The text that may be cut. */
  readonly content: string
  /** Texts that are returned with it. */
  readonly beside: readonly string[]
}

export interface Packed {
  /** The place of the parcel in the list. */
  readonly place: number
  /** The beginning of its content that fits; null where all of it does. */
  readonly cut: string | null
}

/** Tokens that are left for the beginning of a text at least: fewer say nothing. */
const LEAST_TOKENS = 40
/** Answers far below the best are worth little, however short: half the score is worth a quarter. */
const STEEPNESS = 2

/**
 * Packs what answers a question best into a budget: the first, then those of the most worth per token that fit, in the order of the list. A text
 * that does not fit is cut at the end of a sentence; the first one within a sentence, if even that is too long.
 */
export function pack(parcels: readonly Parcel[], budget: Budget): readonly Packed[] {
  const best = parcels[0]
  if (best === undefined) return []
  const costs = parcels.map(costOf)
  const worth = (place: number) => (parcels[place]!.score / (best.score || 1)) ** STEEPNESS / costs[place]!.tokens
  const others = parcels.map((_, place) => place).slice(1)
  const packed: Packed[] = []
  let left = budget
  for (const place of [0, ...others.sort((a, b) => worth(b) - worth(a) || a - b)]) {
    const parcel = parcels[place]!
    const cut = fits(costs[place]!, left) ? null : beginningOf(parcel, left, { mayCutSentence: place === 0 })
    if (cut === '') continue
    packed.push({ place, cut })
    left = without(left, cut === null ? costs[place]! : costOf({ ...parcel, content: cut }))
  }
  return packed.sort((a, b) => a.place - b.place)
}

function costOf({ content, beside, language }: Pick<Parcel, 'content' | 'beside' | 'language'>): Budget {
  const texts = [content, ...beside]
  return {
    tokens: texts.reduce((sum, text) => sum + estimateTokens(text, language), 0),
    characters: texts.reduce((sum, text) => sum + characterCount(text), 0),
  }
}

function fits(cost: Budget, left: Budget): boolean {
  return cost.tokens <= left.tokens && cost.characters <= left.characters
}

function without(budget: Budget, cost: Budget): Budget {
  return { tokens: budget.tokens - cost.tokens, characters: budget.characters - cost.characters }
}

/** Returns the sentences at the beginning of a parcel's content that fit, at least one; an empty text if none does. */
function beginningOf(parcel: Parcel, left: Budget, { mayCutSentence }: { readonly mayCutSentence: boolean }): string {
  const { content, language, beside } = parcel
  if (!mayCutSentence && left.tokens < LEAST_TOKENS) return ''
  let remaining = without(left, costOf({ content: '', beside, language }))
  const pieces = new Intl.Segmenter(language ?? 'en', { granularity: 'sentence' })
  let end = 0
  for (const { segment } of pieces.segment(content)) {
    const cost = costOf({ content: segment, beside: [], language })
    if (!fits(cost, remaining)) break
    remaining = without(remaining, cost)
    end += segment.length
  }
  if (end > 0 || !mayCutSentence) return content.slice(0, end).trimEnd()
  return firstWords(parcel, remaining)
}

/** Returns as much of a text as fits, up to a word; at least its first character. */
function firstWords({ content, language }: Parcel, left: Budget): string {
  const characters = [...content]
  let [least, most] = [1, Math.min(characters.length, Math.max(1, left.characters))]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (estimateTokens(characters.slice(0, middle).join(''), language) <= left.tokens) least = middle
    else most = middle - 1
  }
  const beginning = characters.slice(0, least).join('')
  const space = beginning.search(/\s\S*$/u)
  return space > 0 ? beginning.slice(0, space) : beginning
}
