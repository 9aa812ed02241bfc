import type { MemoryType } from '../memory.js'
import type { AnalysedQuery, Candidate, Evidence, PieceSimilarity, RankedMemory, TermStatistics } from './candidate.js'
import { occurrencesOf } from './hashed-terms.js'
import { informativenessOf } from './informativeness.js'
import { type LexicalScore, lexicalScore, type WeightedTerm, weightedTerms } from './lexical.js'
import { type Pool, poolOf } from './pool.js'
import { shortDot, shortDots, type ShortVector } from './short-vector.js'
import { softCoverage } from './soft-coverage.js'
import { dateAgreement, FULL_AGREEMENT } from './temporal.js'
import { VECTOR_WEIGHT, type Weights, WEIGHTS, KEYWORD_WEIGHT } from './weights.js'

const OUTDATED_PENALTY = 0.5
const MOST_ENTITIES = 3
/**
 * Boost of a memory for each doubling of its recalls, and at most. A memory that was returned for one question is no
 * better an answer to another, so recalls only order what is all but equal (README.md).
 */
const RECALL_BOOST = { step: 0.002, most: 0.01 } as const

/** Half-lives in days by type: freshness decays from 1 towards the tenant's floor. */
const HALF_LIFE_DAYS: Readonly<Record<MemoryType, number>> = {
  preference: 365,
  rule: 365,
  decision: 180,
  fact: 120,
  commitment: 120,
  outcome: 90,
  insight: 90,
  plan: 60,
  intention: 60,
  episode: 45,
  task: 30,
  action: 30,
  cancellation: 14,
}
const DAY_MS = 86_400_000

interface RankOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** The tenant's `recall.freshness_floor`. */
  readonly freshnessFloor: number
  /** Default: `WEIGHTS`. */
  readonly weights?: Weights
}

/**
 * Scores the candidates that have any evidence (keywords, meaning, entities, time, author or neighbours), best first.
 * Equal scores are ordered newest first, then by id, so that the order is reproducible.
 */
export function rank(
  query: AnalysedQuery,
  candidates: readonly Candidate[],
  statistics: TermStatistics,
  space: PieceSimilarity,
  options: RankOptions,
): RankedMemory[] {
  const findings = gatherEvidence(query, poolOf(candidates), statistics, space)
  return candidates
    .flatMap((candidate, i) => score(candidate, findings[i]!, options))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.candidate.createdAt - a.candidate.createdAt ||
        (a.candidate.id < b.candidate.id ? 1 : -1),
    )
}

/** Evidence, and the values of the memory's own text alone, for `similarity` and for display. */
interface Findings {
  readonly evidence: Evidence
  readonly cosine: number
  readonly words: number
  readonly ownCoverage: number
}

/** Returns the evidence by position. */
function gatherEvidence(
  query: AnalysedQuery,
  pool: Pool,
  statistics: TermStatistics,
  space: PieceSimilarity,
): Findings[] {
  const texts = pool.candidates.map(({ text }) => text)
  const weighted = weightedTerms(query.terms, statistics)
  const lexical = texts.map((text) => lexicalScore(weighted, text, statistics.averageLength))
  const bestWords = maxOf(lexical.map(({ bm25 }) => bm25))
  const words = lexical.map(({ bm25 }) => bm25 / bestWords)
  const products = texts.map(({ vector }) => (query.vector && vector ? shortDot(query.vector, vector) : 0))
  const cosines = products.map((product) => Math.max(0, product))
  const bestCosine = maxOf(cosines)
  const meanings = pool.candidates.map((_, i) => smoothedCosine(i, pool, products))
  const bestMeaning = maxOf(meanings)
  const alone = words.map((share, i) => KEYWORD_WEIGHT * share + (VECTOR_WEIGHT * cosines[i]!) / bestCosine)
  const runs = bestOfRuns(pool.candidates, alone)
  const covered = softCoverage(query.words, pool, statistics, space)
  const coverage = coverageAround(pool, weighted, lexical)
  const informativeness = informativenessOf(texts, weighted)
  return pool.candidates.map(({ text, runId, entities, hop }, i) => ({
    cosine: cosines[i]!,
    words: words[i]!,
    ownCoverage: lexical[i]!.coverage,
    evidence: {
      softCoverage: covered[i]!,
      informativeness: informativeness[i]!,
      meaning: meanings[i]! / bestMeaning,
      coverage: coverage[i]!,
      run: runId === null ? alone[i]! : runs.get(runId)!,
      date: dateAgreement(query.times, text),
      time: query.isTemporalQuestion && text.mentionsTime ? 1 : 0,
      author: query.author !== null && query.author === text.author?.name ? 1 : 0,
      entity: Math.min(MOST_ENTITIES, entities),
      hop,
    },
  }))
}

/**
 * Returns the mean of the three best `alone` in each run, or of all when there are fewer, so that a single memory is
 * not at a disadvantage.
 */
function bestOfRuns(candidates: readonly Candidate[], alone: readonly number[]): Map<string, number> {
  const runs = new Map<string, number[]>()
  for (const [i, { runId }] of candidates.entries()) {
    if (runId === null) continue
    const scores = runs.get(runId)
    if (scores) scores.push(alone[i]!)
    else runs.set(runId, [alone[i]!])
  }
  const mean = (scores: number[]) => {
    const best = scores.sort((a, b) => b - a).slice(0, 3)
    return best.reduce((a, b) => a + b, 0) / best.length
  }
  return new Map([...runs].map(([runId, scores]) => [runId, mean(scores)]))
}

/** Returns the share of the query's rarity that each memory and its neighbours cover together. */
function coverageAround(
  { candidates, neighbourPositions }: Pool,
  weighted: readonly WeightedTerm[],
  lexical: readonly LexicalScore[],
): number[] {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return candidates.map(() => 0)
  const width = weighted.length
  /** One row for each candidate: 1 for the terms that it holds. */
  const held = new Uint8Array(candidates.length * width)
  candidates.forEach(({ text }, i) => {
    if (lexical[i]!.coverage === 0) return
    for (let term = 0; term < width; term++)
      if (occurrencesOf(weighted[term]!.hash, text.terms) > 0) held[i * width + term] = 1
  })
  const around = new Uint8Array(width)
  return candidates.map((_, i) => {
    around.set(held.subarray(i * width, (i + 1) * width))
    for (const { position } of neighbourPositions[i]!)
      for (let term = 0; term < width; term++) around[term]! |= held[position * width + term]!
    let covered = 0
    for (let term = 0; term < width; term++) if (around[term] === 1) covered += weighted[term]!.weight
    return covered / total
  })
}

/**
 * Weights with which the vectors of the row before, and the one before that, are added to a row's own: turns of a
 * conversation explain one another.
 */
const SMOOTHING_WEIGHTS: ReadonlyMap<number, number> = new Map([
  [-1, 0.5],
  [-2, 0.3],
])

/** `products` are the inner products of the query and each vector; vectors are of unit length. */
function smoothedCosine(
  position: number,
  { candidates, neighbourPositions }: Pool,
  products: readonly number[],
): number {
  const own = candidates[position]!.text.vector
  if (own === null) return 0
  let along = products[position]!
  let squares = 1
  const added: [number, ShortVector][] = [[1, own]]
  for (const { offset, position: other } of neighbourPositions[position]!) {
    const share = SMOOTHING_WEIGHTS.get(offset)
    const { vector } = candidates[other]!.text
    if (share === undefined || vector === null) continue
    along += share * products[other]!
    squares += share * share
    for (const [weight, one] of added) squares += 2 * share * weight * shortDots(one, vector)
    added.push([share, vector])
  }
  return squares <= 0 ? 0 : Math.max(0, along / Math.sqrt(squares))
}

function maxOf(values: Iterable<number>): number {
  return Math.max(...values, Number.MIN_VALUE)
}

function score(candidate: Candidate, findings: Findings, options: RankOptions): RankedMemory[] {
  const { weights: w = WEIGHTS } = options
  const { cosine, words, ownCoverage, evidence } = findings
  const content = w.softCoverage * evidence.softCoverage + w.meaning * evidence.meaning + w.coverage * evidence.coverage
  const context = w.run * evidence.run
  const temporal = w.date * evidence.date + w.time * evidence.time
  const people = w.author * evidence.author + w.entity * evidence.entity + w.hop * evidence.hop
  // An informative text alone is no reason to show it.
  if (content + context + w.date * evidence.date + people === 0) return []

  // Each boost is the ratio of the running sum with its evidence to the sum before it: at least 1, and part of the
  // product.
  const sum0 = content + w.informativeness * evidence.informativeness + EPSILON
  const sum1 = sum0 + context
  const sum2 = sum1 + temporal
  const parts = {
    vec_sim: cosine,
    fts_score: words,
    base: sum0 * (0.9 + 0.2 * candidate.weight),
    context_boost: sum1 / sum0,
    temporal_boost: (sum2 / sum1) * (wasValidThen(candidate, evidence) ? 1 / OUTDATED_PENALTY : 1),
    entity_boost: (sum2 + people) / sum2,
    freshness: freshness(candidate, options),
    recall_boost: 1 + Math.min(RECALL_BOOST.most, RECALL_BOOST.step * Math.log2(1 + candidate.recallCount)),
    status_penalty: candidate.status === 'outdated' || candidate.status === 'conflicted' ? OUTDATED_PENALTY : 1,
  }
  const score =
    parts.base *
    parts.context_boost *
    parts.freshness *
    parts.entity_boost *
    parts.recall_boost *
    parts.temporal_boost *
    parts.status_penalty
  return [{ candidate, score, similarity: Math.min(1, Math.max(cosine, ownCoverage)), parts, evidence }]
}

/**
 * Returns whether the memory was valid at the time that the query asks for and has expired since: about that time it is
 * as relevant as ever. An outdated memory without an end of its validity was superseded.
 */
function wasValidThen({ status, text }: Candidate, { date }: Evidence): boolean {
  return status === 'outdated' && text.until !== null && date >= FULL_AGREEMENT
}

/** Keeps ratios finite for a row that only its context or its entities support. */
const EPSILON = 0.01

function freshness({ createdAt, memoryType }: Candidate, { now, freshnessFloor: floor }: RankOptions): number {
  const days = Math.max(0, now - createdAt) / DAY_MS
  return floor + (1 - floor) * 0.5 ** (days / HALF_LIFE_DAYS[memoryType])
}
