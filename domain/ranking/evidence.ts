import { DAY_MS, extentOf, type TimeReference } from '../text/time-reference.js'
import { wallTimeOf } from '../text/time-zone.js'
import type { Yielding } from '../yielding.js'
import type { AnalysedQuery, AnalysedText, Candidate, Evidence, PieceSimilarity, TermStatistics } from './candidate.js'
import { informativenessOf } from './informativeness.js'
import { lexicalScores, type LexicalScores, type WeightedWord, weightedWords } from './lexical.js'
import { NEIGHBOUR_OFFSETS, NEIGHBOURS, type Pool } from './pool.js'
import { softCoverage, unknownShare } from './soft-coverage.js'
import { shortDot, shortDots } from './vectors.js'
import { KEYWORD_WEIGHT, VECTOR_WEIGHT } from './weights.js'

const MOST_ENTITIES = 3

type Column = ArrayLike<number>

/** Evidence by kind, and the values of each memory's own text alone, for `similarity` and for display; each by position. */
export interface Findings {
  readonly evidence: Readonly<Record<keyof Evidence, Column>>
  readonly cosine: Column
  readonly words: Column
  readonly ownCoverage: Column
}

/** Gathers the evidence for all candidates by kind, as numbers only: the hundreds that are not returned cost no objects. Pauses between the kinds. */
export function* gatherEvidence(
  query: AnalysedQuery,
  pool: Pool,
  statistics: TermStatistics,
  space: PieceSimilarity,
): Yielding<Findings> {
  const { candidates } = pool
  const texts = candidates.map(({ text }) => text)
  const weighted = weightedWords(query.groups, statistics)
  const { bm25, coverage: ownCoverage, occurrences } = lexicalScores(weighted, texts, statistics.averageLength)
  yield
  const words = shareOfBest(bm25)
  const products = columnOf(texts, ({ vector }) => (query.vector && vector ? shortDot(query.vector, vector) : 0))
  const cosine = products.map((product) => Math.max(0, product))
  const unknown = unknownShare(query.words, statistics)
  const meaning = shareOfBest(columnOf(candidates, (_, i) => smoothedCosine(i, pool, products)))
  const bestCosine = maxOf(cosine)
  const alone = columnOf(candidates, (_, i) => KEYWORD_WEIGHT * words[i]! + (VECTOR_WEIGHT * cosine[i]!) / bestCosine)
  yield
  const coverage = coverageAround(pool, weighted, occurrences)
  yield
  return {
    cosine,
    words,
    ownCoverage,
    evidence: {
      softCoverage: yield* softCoverage(query.words, pool, statistics, space, meaning),
      informativeness: yield* informativenessOf(texts, weighted),
      meaning,
      coverage,
      keyword: unknown === 0 ? words.map(() => 0) : words.map((share) => unknown * share),
      run: bestOfRuns(candidates, alone),
      date: columnOf(texts, (text) => dateAgreement(query, text)),
      time: columnOf(texts, ({ mentionsTime }) => (query.isTemporalQuestion && mentionsTime ? 1 : 0)),
      author: columnOf(texts, ({ author }) => (query.author !== null && query.author === author?.name ? 1 : 0)),
      entity: columnOf(candidates, ({ entities }) => Math.min(MOST_ENTITIES, entities)),
      hop: columnOf(candidates, ({ hop }) => hop),
    },
  }
}

/** Returns the evidence for one candidate. */
export function evidenceAt(position: number, { evidence }: Findings): Evidence {
  const values: Partial<Record<keyof Evidence, number>> = {}
  for (const kind of Object.keys(evidence) as (keyof Evidence)[]) values[kind] = evidence[kind][position]!
  return values as Evidence
}

function columnOf<Row>(rows: readonly Row[], valueOf: (row: Row, position: number) => number): Float64Array {
  const column = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) column[i] = valueOf(rows[i]!, i)
  return column
}

function shareOfBest(column: Float64Array): Float64Array {
  const best = maxOf(column)
  return column.map((value) => value / best)
}

function maxOf(column: Float64Array): number {
  let most = Number.MIN_VALUE
  for (const value of column) if (value > most) most = value
  return most
}

/** Number of a run's memories that stand for it, the best ones. */
const BEST = 3

/**
 * Returns for each memory the mean of the three best `alone` in its run, or of all when there are fewer, so that a single memory is
 * not at a disadvantage. A memory without a run is a run of its own.
 */
function bestOfRuns(candidates: readonly Candidate[], alone: Float64Array): Float64Array {
  const numbers = new Map<string, number>()
  const runs = new Int32Array(candidates.length)
  // The best of each run in descending order, and how many there are.
  const best = new Float64Array(BEST * candidates.length)
  const counts = new Uint8Array(candidates.length)
  for (let i = 0; i < candidates.length; i++) {
    const { runId } = candidates[i]!
    if (runId === null) {
      runs[i] = -1
      continue
    }
    let run = numbers.get(runId)
    if (run === undefined) numbers.set(runId, (run = numbers.size))
    runs[i] = run
    if (counts[run]! < BEST) counts[run]!++
    let value = alone[i]!
    for (let place = BEST * run; place < BEST * run + counts[run]!; place++) {
      const other = best[place]!
      if (other > value) continue
      best[place] = value
      value = other
    }
  }
  return columnOf(candidates, (_, i) => {
    const run = runs[i]!
    if (run === -1) return alone[i]!
    let sum = 0
    for (let place = BEST * run; place < BEST * run + counts[run]!; place++) sum += best[place]!
    return sum / counts[run]!
  })
}

/** Returns the share of the query's rarity that each memory and its neighbours cover together. */
function coverageAround(
  { candidates, neighbours }: Pool,
  weighted: readonly WeightedWord[],
  occurrences: LexicalScores['occurrences'],
): Float64Array {
  const weights = Float64Array.from(weighted, ({ weight }) => weight)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return new Float64Array(candidates.length)
  const width = weights.length
  const around = new Uint16Array(width)
  return columnOf(candidates, (_, i) => {
    for (let word = 0; word < width; word++) around[word] = occurrences[i * width + word]!
    for (let place = 0; place < NEIGHBOURS; place++) {
      const other = neighbours[NEIGHBOURS * i + place]!
      if (other >= 0) for (let word = 0; word < width; word++) around[word]! |= occurrences[other * width + word]!
    }
    let covered = 0
    for (let word = 0; word < width; word++) if (around[word] !== 0) covered += weights[word]!
    return covered / total
  })
}

// Turns of a conversation explain one another: where the row two before is among the neighbours, and the one before, and the weights of their vectors.
const TWO_BEFORE = { place: NEIGHBOUR_OFFSETS.indexOf(-2), weight: 0.3 } as const
const BEFORE = { place: NEIGHBOUR_OFFSETS.indexOf(-1), weight: 0.5 } as const

/**
 * Returns the cosine of the query and the sum of a row's vector and those of the two rows before it. `products` are the inner products of
 * the query and each vector; vectors are of unit length.
 */
function smoothedCosine(position: number, { candidates, neighbours }: Pool, products: Float64Array): number {
  const own = candidates[position]!.text.vector
  if (own === null) return 0
  const farther = neighbours[NEIGHBOURS * position + TWO_BEFORE.place]!
  const nearer = neighbours[NEIGHBOURS * position + BEFORE.place]!
  const twoBefore = farther < 0 ? null : candidates[farther]!.text.vector
  const before = nearer < 0 ? null : candidates[nearer]!.text.vector
  let along = products[position]!
  let squares = 1
  if (twoBefore !== null) {
    const { weight } = TWO_BEFORE
    along += weight * products[farther]!
    squares += weight * weight + 2 * weight * shortDots(own, twoBefore)
  }
  if (before !== null) {
    const { weight } = BEFORE
    along += weight * products[nearer]!
    squares += weight * weight + 2 * weight * shortDots(own, before)
    if (twoBefore !== null) squares += 2 * weight * TWO_BEFORE.weight * shortDots(twoBefore, before)
  }
  return squares <= 0 ? 0 : Math.max(0, along / Math.sqrt(squares))
}

/**
 * Returns how well a memory's time agrees with the times that the query names: 1 when it agrees in everything, 1.5 when
 * down to the day, .5 when only the day differs or the query's span has one open end ("since March"); the best of
 * several times. The memory's time is compared as the clocks of the query's zone show it.
 */
function dateAgreement({ times, zone }: Pick<AnalysedQuery, 'times' | 'zone'>, text: AnalysedText): number {
  if (times.length === 0) return 0
  const at = wallTimeOf(text.at, zone)
  const until = text.until === null ? null : wallTimeOf(text.until, zone)
  return times.reduce((best, time) => Math.max(best, agreement(time, { at, until })), 0)
}

/** The memory agrees in everything that the query names. */
export const FULL_AGREEMENT = 1
const DAY_AGREEMENT = 1.5
const PARTIAL_AGREEMENT = 0.5

function agreement(time: TimeReference, { at, until }: Pick<AnalysedText, 'at' | 'until'>): number {
  if (time.kind === 'span') {
    if (at >= time.end || (until ?? at) < time.start) return 0
    if (time.end - time.start === Infinity) return PARTIAL_AGREEMENT
    return time.end - time.start <= DAY_MS ? DAY_AGREEMENT : FULL_AGREEMENT
  }
  const { year, month, day } = time
  if (until !== null) return overlaps(time, at, until) ? (day === null ? FULL_AGREEMENT : DAY_AGREEMENT) : 0
  const date = new Date(at)
  if (year !== null && year !== date.getUTCFullYear()) return 0
  if (month !== null && month !== date.getUTCMonth() + 1) return 0
  if (day === null) return FULL_AGREEMENT
  return day === date.getUTCDate() ? DAY_AGREEMENT : PARTIAL_AGREEMENT
}

/**
 * Returns whether a validity with an end overlaps the time. A time without a year counts in any year; for validities of
 * more than a year, two years cover every date.
 */
function overlaps(time: Exclude<TimeReference, { kind: 'span' }>, at: number, until: number): boolean {
  const first = new Date(at).getUTCFullYear()
  const years = time.year === null ? [first, first + 1, new Date(until).getUTCFullYear()] : [time.year]
  return years.some((year) => {
    const extent = extentOf({ ...time, year }, at)
    return extent !== null && at < extent.end && until > extent.start
  })
}
