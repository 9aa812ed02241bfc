import type { MemoryType } from '../memory.js'
import type { AnalysedQuery, Candidate, Ranked, TermStatistics } from './candidate.js'
import { lexicalScore, rarity } from './lexical.js'
import { ENTITY, MEANING, WORDS } from './weights.js'

/** What the evidence of the row before, two before, after and two after adds, and that of the run's best three. */
const BESIDE: ReadonlyMap<number, number> = new Map([
  [-1, 0.35],
  [-2, 0.15],
  [1, 0.25],
  [2, 0.1],
])
const RUN = 0.35
const OUTDATED = 0.5

/** Half-lives in days by type; freshness falls towards a floor. */
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
const FRESHNESS_FLOOR = 0.7
const DAY_MS = 86_400_000

/**
 * Scores the candidates for which anything speaks (words, meaning, entities or their neighbours), best first; equal scores
 * newest first, then by id, so that an order repeats.
 */
export function rank(
  query: AnalysedQuery,
  candidates: readonly Candidate[],
  statistics: TermStatistics,
  now: number,
): Ranked[] {
  const evidence = contentEvidence(query, candidates, statistics)
  const runs = bestOfRuns(candidates, evidence)
  return candidates
    .flatMap((candidate) => score(candidate, evidence, runs, now))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.candidate.createdAt - a.candidate.createdAt ||
        (a.candidate.id < b.candidate.id ? 1 : -1),
    )
}

interface Evidence {
  readonly cosine: number
  readonly words: number
  readonly coverage: number
  /** Words and meaning together: 0..1 of the best candidate's. */
  readonly content: number
}

function contentEvidence(
  query: AnalysedQuery,
  candidates: readonly Candidate[],
  statistics: TermStatistics,
): Map<string, Evidence> {
  const rarities = new Map(query.terms.map((term) => [term, rarity(term, statistics)]))
  const raw = candidates.map(({ id, text }) => ({
    id,
    cosine: query.vector && text.vector ? Math.max(0, dot(query.vector, text.vector)) : 0,
    ...lexicalScore(rarities, text, statistics.averageLength),
  }))
  const bestWords = Math.max(...raw.map((row) => row.bm25), Number.MIN_VALUE)
  const bestCosine = Math.max(...raw.map((row) => row.cosine), Number.MIN_VALUE)
  return new Map(
    raw.map(({ id, cosine, bm25, coverage }) => {
      const words = bm25 / bestWords
      return [id, { cosine, words, coverage, content: WORDS * words + (MEANING * cosine) / bestCosine }]
    }),
  )
}

/** Mean of the three best pieces of content evidence in each run. */
function bestOfRuns(candidates: readonly Candidate[], evidence: ReadonlyMap<string, Evidence>): Map<string, number> {
  const runs = new Map<string, number[]>()
  for (const { id, runId } of candidates) {
    if (runId === null) continue
    const scores = runs.get(runId)
    if (scores) scores.push(evidence.get(id)!.content)
    else runs.set(runId, [evidence.get(id)!.content])
  }
  const mean = (scores: number[]) =>
    scores
      .sort((a, b) => b - a)
      .slice(0, 3)
      .reduce((a, b) => a + b, 0) / 3
  return new Map([...runs].map(([runId, scores]) => [runId, mean(scores)]))
}

function score(
  candidate: Candidate,
  evidence: ReadonlyMap<string, Evidence>,
  runs: ReadonlyMap<string, number>,
  now: number,
): Ranked[] {
  const own = evidence.get(candidate.id)!
  let context = candidate.runId === null ? 0 : RUN * (runs.get(candidate.runId) ?? 0)
  for (const [offset, share] of BESIDE)
    context += share * (evidence.get(candidate.neighbours.get(offset) ?? '')?.content ?? 0)
  const entities = Math.min(3, candidate.matchedEntities) * ENTITY
  if (own.content + context + entities === 0) return []

  // Each boost is the ratio of the running sum with its evidence to the sum before it: at least 1, and a product in the end.
  const content = own.content + TRACE
  const parts = {
    vec_sim: own.cosine,
    fts_score: own.words,
    base: content * (0.9 + 0.2 * candidate.weight),
    context_boost: (content + context) / content,
    entity_boost: (content + context + entities) / (content + context),
    freshness: freshness(candidate, now),
    recall_boost: 1 + Math.min(0.05, 0.01 * Math.log2(1 + candidate.recallCount)),
    temporal_boost: 1,
    status_penalty: candidate.status === 'outdated' || candidate.status === 'conflicted' ? OUTDATED : 1,
  }
  const score =
    parts.base *
    parts.context_boost *
    parts.freshness *
    parts.entity_boost *
    parts.recall_boost *
    parts.temporal_boost *
    parts.status_penalty
  return [{ candidate, score, similarity: Math.min(1, Math.max(own.cosine, own.coverage)), parts }]
}

/** Keeps ratios finite for a row that only its context or its entities speak for. */
const TRACE = 0.01

function freshness({ createdAt, memoryType }: Candidate, now: number): number {
  const days = Math.max(0, now - createdAt) / DAY_MS
  return FRESHNESS_FLOOR + (1 - FRESHNESS_FLOOR) * 0.5 ** (days / HALF_LIFE_DAYS[memoryType])
}

/** Four sums side by side: the processor need not wait for one addition before the next. */
function dot(a: Float32Array, b: Float32Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = a.length - (a.length % 4)
  for (let i = 0; i < whole; i += 4) {
    s0 += a[i]! * b[i]!
    s1 += a[i + 1]! * b[i + 1]!
    s2 += a[i + 2]! * b[i + 2]!
    s3 += a[i + 3]! * b[i + 3]!
  }
  for (let i = whole; i < a.length; i++) s0 += a[i]! * b[i]!
  return s0 + s1 + s2 + s3
}
