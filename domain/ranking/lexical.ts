import type { TermGroup } from '../text/analysis.js'
import type { AnalysedText, TermStatistics } from './candidate.js'
import { type HashedTerms, occurrencesOf, TermMatcher, termHash } from './hashed-terms.js'

type CountedText = Pick<AnalysedText, 'terms' | 'length'>

/**
 * Returns a word's rarity among what the caller sees: that of its most frequent term. Never negative, even when a count of
 * documents is stale.
 */
export function rarity(terms: TermGroup, { documents, frequency }: TermStatistics): number {
  const df = terms.reduce((most, term) => Math.max(most, frequency.get(term) ?? 0), 0)
  return inverseFrequency(documents, Math.min(df, documents))
}

export interface LexicalScores {
  readonly bm25: Float64Array
  /** Share of the query's rarity that the words which a text has cover: 0..1. */
  readonly coverage: Float64Array
  /** Counts how often each text has each word: a row for each text, 65,535 at most. */
  readonly occurrences: Uint16Array
}

/** A word of the query by the numbers of its terms, and its rarity. */
export interface WeightedWord {
  readonly hashes: readonly number[]
  readonly weight: number
}

/** Returns the words with their rarities. */
export function weightedWords(words: readonly TermGroup[], statistics: TermStatistics): WeightedWord[] {
  return words.map((terms) => ({ hashes: terms.map(termHash), weight: rarity(terms, statistics) }))
}

/** Returns how often a text has a word: the occurrences of that of its terms which occurs most often. */
export function occurrencesOfWord(hashes: readonly number[], terms: HashedTerms): number {
  let most = 0
  for (const hash of hashes) most = Math.max(most, occurrencesOf(hash, terms))
  return most
}

/** Returns the BM25 and the coverage of each text for the query's words. */
export function lexicalScores(
  weighted: readonly WeightedWord[],
  texts: readonly CountedText[],
  averageLength: number,
): LexicalScores {
  const width = weighted.length
  const bm25 = new Float64Array(texts.length)
  const coverage = new Float64Array(texts.length)
  const occurrences = new Uint16Array(texts.length * width)
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const matcher = new TermMatcher(weighted.flatMap(({ hashes }) => hashes))
  const wordAt = weighted.flatMap(({ hashes }, word) => hashes.map(() => word))
  let row = 0
  const note = (place: number, count: number) => {
    const at = row + wordAt[place]!
    if (count > occurrences[at]!) occurrences[at] = count
  }
  for (let i = 0; i < texts.length; i++, row += width) {
    const { length, terms } = texts[i]!
    matcher.findIn(terms, note)
    const norm = lengthNorm(length, averageLength)
    let [covered, score] = [0, 0]
    for (let word = 0; word < width; word++) {
      const frequency = occurrences[row + word]!
      if (frequency === 0) continue
      const { weight } = weighted[word]!
      covered += weight
      score += termScore(weight, frequency, norm)
    }
    bm25[i] = score
    coverage[i] = total === 0 ? 0 : covered / total
  }
  return { bm25, coverage, occurrences }
}

/**
 * Combines the index's counts with those of the pool: rows that are not indexed yet count too, and a tenant whose first
 * memories are all pending still has rare and common terms. Without the index's counts (`indexed` is null: none were asked for, they failed, or
 * the engine is away) those of the pool alone count. The index counts the first terms of a very long query only: the others are
 * taken to be in every document, so that they have no weight.
 */
export function poolStatistics(
  indexed: TermStatistics | null,
  pool: readonly CountedText[],
  terms: readonly string[],
): TermStatistics {
  const length = pool.reduce((sum, text) => sum + text.length, 0)
  const documents = Math.max(indexed?.documents ?? 0, pool.length)
  const frequency = new Map(
    terms.map((term) => [term, indexed === null ? 0 : (indexed.frequency.get(term) ?? documents)]),
  )
  const rare = terms.filter((term) => frequency.get(term)! < pool.length)
  const inPool = new Uint32Array(rare.length)
  const matcher = new TermMatcher(rare.map(termHash))
  const count = (place: number) => inPool[place]!++
  for (const text of pool) matcher.findIn(text.terms, count)
  for (const [place, term] of rare.entries()) frequency.set(term, Math.max(frequency.get(term)!, inPool[place]!))
  return {
    documents,
    averageLength: indexed?.averageLength || length / Math.max(1, pool.length),
    frequency,
  }
}

/**
 * BM25 (Robertson and Zaragoza, 2009) as Lucene computes it, over counts of what the caller may see (`TermStatistics`) for every
 * candidate: so a memory that is not indexed yet is scored on the same scale, and words of hidden ones do not count.
 *
 * Memories are short, so a repeated word says little (k1) and length says little (b): on LoCoMo these values find .623
 * of the evidence in the first ten, where the textbook's 1.2 and .75 find .601.
 */
export const BM25 = { k1: 0.6, b: 0.3 } as const

/** Returns Lucene's inverse document frequency, which is never negative. */
function inverseFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
}

/** Returns the length normalisation of a text's terms; both lengths are in words. */
function lengthNorm(length: number, averageLength: number): number {
  return BM25.k1 * (1 - BM25.b + (BM25.b * length) / Math.max(1, averageLength))
}

/**
 * Returns a term's share of a text's score. `weight` is its inverse document frequency, `norm` the text's length norm.
 */
function termScore(weight: number, occurrences: number, norm: number): number {
  return (weight * occurrences) / (occurrences + norm)
}

/**
 * Less rare entities distinguish nothing: the two speakers of a talk are in every second memory. The limit is some 9 %
 * of 600 memories and 2 % of 20,000. From some 240,000 on recall leaves entities out earlier, those of more than 2,000 links
 * (store/memories/queried-entities.ts): .2 % of a million.
 */
export const LEAST_RARITY = 0.4

/**
 * Returns how well an entity distinguishes memories: its inverse frequency divided by that of an entity of one memory,
 * 0..1, and 0 below `LEAST_RARITY`. `linked` of the `memories` that the caller may see are linked to it.
 */
export function entityRarity(linked: number, memories: number): number {
  if (linked === 0) return 0
  const all = Math.max(memories, linked)
  const rarity = inverseFrequency(all, linked) / inverseFrequency(all, 1)
  return rarity < LEAST_RARITY ? 0 : rarity
}

/**
 * Returns the evidence of links to named entities of these rarities: 1 for an entity of one memory, nearly nothing for
 * one of hundreds, since all memories on the subject are linked to it.
 */
export function entityEvidence(rarities: readonly number[]): number {
  return rarities.reduce((sum, rarity) => sum + rarity ** 3, 0)
}
