import type { MemoryType } from '../memory.js'
import type { Yielding } from '../yielding.js'
import type {
  AnalysedQuery,
  Candidate,
  Evidence,
  PieceSimilarity,
  RankedMemory,
  ScoreParts,
  TermStatistics,
} from './candidate.js'
import { evidenceAt, type Findings, FULL_AGREEMENT, gatherEvidence } from './evidence.js'
import { poolOf } from './pool.js'
import { type Weights, WEIGHTS } from './weights.js'

const OUTDATED_PENALTY = 0.5
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

export interface RankOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** The tenant's `recall.freshness_floor`. */
  readonly freshnessFloor: number
  /** Default: `WEIGHTS`. */
  readonly weights?: Weights
  /** Least similarity of a result, 0..1; default 0. */
  readonly minScore?: number
  /** Number of results at most; default: all. */
  readonly most?: number
  /** Returns the ids of what superseded a memory: these candidates come in with it, beyond `most`, whatever speaks for them. */
  readonly successorsOf?: (id: string) => readonly string[]
}

const NO_SUCCESSORS: readonly string[] = []

/**
 * Returns the candidates that have any evidence (keywords, meaning, entities, time, author or neighbours) by score, best first, equal texts
 * once. Equal scores are ordered newest first, then by id, so that the order is reproducible. Pauses often enough for a pool of
 * a thousand long texts, which takes a tenth of a second.
 */
export function* rank(
  query: AnalysedQuery,
  candidates: readonly Candidate[],
  statistics: TermStatistics,
  space: PieceSimilarity,
  options: RankOptions,
): Yielding<DeduplicatedMemory[]> {
  const { minScore = 0, most = Infinity, successorsOf = () => NO_SUCCESSORS } = options
  const findings = yield* gatherEvidence(query, poolOf(candidates), statistics, space)
  const scoredAt = (position: number): ScoredMemory => {
    const candidate = candidates[position]!
    const similarity = Math.min(1, Math.max(findings.cosine[position]!, findings.ownCoverage[position]!))
    return { candidate, position, similarity, score: productOf(partsOf(candidate, position, findings, options)) }
  }
  const isResult = ({ position, similarity }: ScoredMemory) =>
    // Not `<`: a similarity that is no number is none.
    similarity >= minScore && hasEvidence(position, findings, options)
  const scored = candidates.map((_, position) => scoredAt(position))
  const best = deduplicate(scored.filter(isResult).sort(byScore), most)
  return [...best, ...successorsBeside(best, scored, successorsOf)].map(
    ({ candidate, position, similarity, score, folded }) => ({
      candidate,
      score,
      similarity,
      parts: partsOf(candidate, position, findings, options),
      evidence: evidenceAt(position, findings),
      folded,
    }),
  )
}

/** Returns the candidates that superseded one of the best, and are none themselves. */
function successorsBeside(
  best: readonly ScoredMemory[],
  scored: readonly ScoredMemory[],
  successorsOf: (id: string) => readonly string[],
): (ScoredMemory & Pick<DeduplicatedMemory, 'folded'>)[] {
  const successors = new Set(best.flatMap(({ candidate }) => successorsOf(candidate.id)))
  if (successors.size === 0) return []
  for (const { candidate } of best) successors.delete(candidate.id)
  return scored.filter(({ candidate }) => successors.has(candidate.id)).map((one) => ({ ...one, folded: [] }))
}

type ScoredMemory = Pick<RankedMemory, 'candidate' | 'score' | 'similarity'> & { readonly position: number }

/** Compares without arithmetic: a difference of floats would be allocated for each of some 2,000 comparisons. */
function byScore(a: ScoredMemory, b: ScoredMemory): number {
  if (a.score !== b.score) return a.score < b.score ? 1 : -1
  if (a.candidate.createdAt !== b.candidate.createdAt) return a.candidate.createdAt < b.candidate.createdAt ? 1 : -1
  return a.candidate.id < b.candidate.id ? 1 : -1
}

/** Returns whether anything but how informative a text is, or that it mentions a time, speaks for it. */
function hasEvidence(position: number, { evidence }: Findings, { weights = WEIGHTS }: RankOptions): boolean {
  return SUPPORTING.some((kind) => weights[kind] * evidence[kind][position]! !== 0)
}

const SUPPORTING = (Object.keys(WEIGHTS) as (keyof Evidence)[]).filter(
  (kind) => kind !== 'informativeness' && kind !== 'time',
)

function partsOf(candidate: Candidate, i: number, findings: Findings, options: RankOptions): ScoreParts {
  const { evidence, cosine, words } = findings
  const { weights: w = WEIGHTS } = options
  const content =
    w.softCoverage * evidence.softCoverage[i]! +
    w.meaning * evidence.meaning[i]! +
    w.coverage * evidence.coverage[i]! +
    w.keyword * evidence.keyword[i]!
  const context = w.run * evidence.run[i]!
  const date = evidence.date[i]!
  const temporal = w.date * date + w.time * evidence.time[i]!
  const people = w.author * evidence.author[i]! + w.entity * evidence.entity[i]! + w.hop * evidence.hop[i]!
  // Each boost is the ratio of the running sum with its evidence to the sum before it: at least 1, and part of the
  // product.
  const sum0 = content + w.informativeness * evidence.informativeness[i]! + EPSILON
  const sum1 = sum0 + context
  const sum2 = sum1 + temporal
  return {
    vec_sim: cosine[i]!,
    fts_score: words[i]!,
    base: sum0 * (0.9 + 0.2 * candidate.weight),
    context_boost: sum1 / sum0,
    temporal_boost: (sum2 / sum1) * (wasValidThen(candidate, date) ? 1 / OUTDATED_PENALTY : 1),
    entity_boost: (sum2 + people) / sum2,
    freshness: freshness(candidate, options),
    recall_boost: 1 + Math.min(RECALL_BOOST.most, RECALL_BOOST.step * Math.log2(1 + candidate.recallCount)),
    status_penalty: candidate.status === 'outdated' || candidate.status === 'conflicted' ? OUTDATED_PENALTY : 1,
  }
}

function productOf(parts: ScoreParts): number {
  return (
    parts.base *
    parts.context_boost *
    parts.freshness *
    parts.entity_boost *
    parts.recall_boost *
    parts.temporal_boost *
    parts.status_penalty
  )
}

/**
 * Returns whether the memory was valid at the time that the query asks for and has expired since: about that time it is
 * as relevant as ever. An outdated memory without an end of its validity was superseded.
 */
function wasValidThen({ status, text }: Candidate, date: number): boolean {
  return status === 'outdated' && text.until !== null && date >= FULL_AGREEMENT
}

/** Keeps ratios finite for a row that only its context or its entities support. */
const EPSILON = 0.01

function freshness({ createdAt, memoryType }: Candidate, { now, freshnessFloor: floor }: RankOptions): number {
  const days = Math.max(0, now - createdAt) / DAY_MS
  return floor + (1 - floor) * 0.5 ** (days / HALF_LIFE_DAYS[memoryType])
}

export interface DeduplicatedMemory extends RankedMemory {
  /** Ids of the other candidates with the same text, the best ranked first. */
  readonly folded: readonly string[]
}

/**
 * Returns the first `most` results, keeping only the best ranked of equal texts, which the others are folded under. Texts are
 * equal when they are duplicates (`textKey`), which only different authors can have stored. Likeness never counts, because
 * "Ana leads Ben" and "Ben leads Ana", or `-d` and `-D`, are as similar as can be.
 */
export function deduplicate<Ranked extends Pick<RankedMemory, 'candidate'>>(
  ranked: readonly Ranked[],
  most: number,
): (Ranked & Pick<DeduplicatedMemory, 'folded'>)[] {
  const kept = new Map<string, Ranked & { readonly folded: string[] }>()
  for (const result of ranked) {
    const { id, text } = result.candidate
    const same = kept.get(text.textKey)
    if (same !== undefined) same.folded.push(id)
    else if (kept.size < most) kept.set(text.textKey, { ...result, folded: [] })
  }
  return [...kept.values()]
}

/** Number of the first stage's results that the second stage reads. */
export const SECOND_STAGE_SIZE = 30

/** Weight of the best relevance: its score is multiplied by 1 + this. */
const RERANK_WEIGHT = 4

/**
 * Reorders the first stage's results (best first) by the second stage, whose `relevances` (0..1) are those of the first
 * results. Each of these gets the factor `rerank_boost` = 1 + 4 · relevance / best relevance: what else is known of a
 * memory (its freshness, status, time) still counts, no score falls, and results that were not read stay below. Equal
 * scores keep their order.
 */
export function mergeSecondStage<R extends RankedMemory>(first: readonly R[], relevances: readonly number[]): R[] {
  const best = Math.max(...relevances, Number.MIN_VALUE)
  const read = relevances.map((relevance, place) => {
    const result = first[place]!
    const boost = 1 + (RERANK_WEIGHT * relevance) / best
    return { result, relevance, boost, score: result.score * boost, from: place + 1 }
  })
  const merged = read
    .sort((a, b) => b.score - a.score || a.from - b.from)
    .map(({ result, relevance, boost, score, from }, place) => ({
      ...result,
      score,
      parts: { ...result.parts, rerank_boost: boost },
      secondStage: { relevance, from, to: place + 1 },
    }))
  return [...merged, ...first.slice(relevances.length)]
}
