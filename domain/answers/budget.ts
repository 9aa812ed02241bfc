import { characterCount } from '../text/characters.js'
import type { Language } from '../text/language.js'
import type { Yielding } from '../yielding.js'
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
  readonly title: string
  /** The text that may be cut. */
  readonly content: string
  /** Texts that are returned with it where there is room, the most wanted first. */
  readonly beside: readonly string[]
}

export interface Packed {
  /** The place of the parcel in the list. */
  readonly place: number
  /** The beginning of its content that fits; null where all of it does. */
  readonly cut: string | null
  /** Number of the texts beside it that fit, from the first on. */
  readonly beside: number
}

/** Tokens that are left for the beginning of a text at least: fewer say nothing. */
const LEAST_TOKENS = 40
/** Texts that are cut at most: to find where takes a dozen estimates of a long text. */
const MOST_CUT = 2
/** Answers far below the best are worth little, however short: half the score is worth a quarter. */
const STEEPNESS = 2

/**
 * Packs what answers a question best into a budget: the first, then those of the most worth per token that fit, in the order of the list. A text
 * that does not fit is cut at the end of a sentence; the first one within a sentence, if even that is too long. What stands beside a
 * text takes the room that is left when it is packed. Pauses after each text.
 */
export function* pack(parcels: readonly Parcel[], budget: Budget): Yielding<readonly Packed[]> {
  const best = parcels[0]
  if (best === undefined) return []
  const costs: Budget[] = []
  for (const { title, content, language } of parcels) {
    costs.push(sumOf(costOf(title, language), costOf(content, language)))
    yield
  }
  const worth = (place: number) => (parcels[place]!.score / (best.score || 1)) ** STEEPNESS / costs[place]!.tokens
  const others = parcels.map((_, place) => place).slice(1)
  const packed: Packed[] = []
  let left = budget
  let cuts = 0
  for (const place of [0, ...others.sort((a, b) => worth(b) - worth(a) || a - b)]) {
    const parcel = parcels[place]!
    const isWhole = fits(costs[place]!, left)
    if (!isWhole && ++cuts > MOST_CUT) continue
    const cut = isWhole ? null : beginningOf(parcel, left, { isFirst: place === 0 })
    if (cut === '') continue
    left = without(left, cut === null ? costs[place]! : costOf(parcel.title + cut, parcel.language))
    let beside = 0
    for (const text of parcel.beside) {
      const cost = costOf(text, parcel.language)
      if (!fits(cost, left)) break
      left = without(left, cost)
      beside++
    }
    packed.push({ place, cut, beside })
    yield
  }
  return packed.sort((a, b) => a.place - b.place)
}

function costOf(text: string, language: Language | null): Budget {
  return { tokens: estimateTokens(text, language), characters: characterCount(text) }
}

function sumOf(a: Budget, b: Budget): Budget {
  return { tokens: a.tokens + b.tokens, characters: a.characters + b.characters }
}

function without(budget: Budget, cost: Budget): Budget {
  return { tokens: budget.tokens - cost.tokens, characters: budget.characters - cost.characters }
}

function fits(cost: Budget, left: Budget): boolean {
  return cost.tokens <= left.tokens && cost.characters <= left.characters
}

/** Returns the sentences at the beginning of a content that fit; of the first answer at least a word. Empty if there is no room. */
function beginningOf(
  { title, content, language }: Parcel,
  left: Budget,
  { isFirst }: { readonly isFirst: boolean },
): string {
  if (!isFirst && left.tokens < LEAST_TOKENS) return ''
  const start = Math.max(0, content.search(/\S/u))
  const text = content.slice(start)
  const remaining = without(left, costOf(title, language))
  const sentences = new Intl.Segmenter(language ?? 'en', { granularity: 'sentence' })
  const ends = Array.from(sentences.segment(text), ({ index, segment }) => index + segment.length)
  const sentence = longestThatFits(text, language, remaining, ends.length, (place) => ends[place]!)
  if (sentence !== '' || !isFirst) return sentence.trimEnd()
  return firstWords(text, language, remaining)
}

/** Returns as much of a text as fits, up to a word; at least its first character. */
function firstWords(text: string, language: Language | null, left: Budget): string {
  const longest = longestThatFits(text, language, left, text.length, (place) => place + 1)
  const characters = new Intl.Segmenter(language ?? 'en', { granularity: 'grapheme' }).segment(text)
  const end = characters.containing(longest.length)?.index ?? longest.length
  const beginning = end === 0 ? characters.containing(0)!.segment : text.slice(0, end)
  const space = beginning.search(/\s\S*$/u)
  return space > 0 ? beginning.slice(0, space) : beginning
}

/** Returns the longest of the text's beginnings that fits; empty if none does. Their ends ascend. */
function longestThatFits(
  text: string,
  language: Language | null,
  left: Budget,
  count: number,
  endAt: (place: number) => number,
): string {
  let [fitting, least, most] = [0, 0, count - 1]
  while (least <= most) {
    const middle = (least + most) >>> 1
    if (fits(costOf(text.slice(0, endAt(middle)), language), left)) {
      fitting = endAt(middle)
      least = middle + 1
    } else most = middle - 1
  }
  return text.slice(0, fitting)
}
