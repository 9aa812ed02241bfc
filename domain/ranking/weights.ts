import type { Evidence } from './candidate.js'

export type Weights = Readonly<Record<keyof Evidence, number>>

/**
 * Weights of the kinds of evidence, fitted on LoCoMo's dev half and two fleet sets (README.md). Each kind is roughly 0..1, but date up to
 * 1.5 and entity up to 3.
 */
export const WEIGHTS: Weights = {
  softCoverage: 1,
  informativeness: 0.6,
  run: 0.2,
  date: 0.4,
  time: 0.1,
  meaning: 0.3,
  author: 0.1,
  coverage: 0.25,
  keyword: 0.6,
  entity: 0.4,
  hop: 0.6,
}

/** Weights of the keyword and vector scores where these two alone rate a text: in its run, and in `bestCandidates`. */
export const KEYWORD_WEIGHT = 0.7
export const VECTOR_WEIGHT = 0.3

interface Hit {
  readonly id: string
  readonly score: number
}

/** Hits with the engine's raw scores: BM25, cosine, number of entities. */
interface LegHits {
  readonly keyword?: readonly Hit[]
  readonly vector?: readonly Hit[]
  readonly entity?: readonly Hit[]
}

/**
 * Returns the ids of the `count` best hits by the engine's own scores, before any row is read: only their neighbours
 * are read. Reading the neighbours of all hits finds no more and costs four times as much.
 */
export function bestCandidates({ keyword = [], vector = [], entity = [] }: LegHits, count: number): string[] {
  const totals = new Map<string, number>()
  const add = (hits: readonly Hit[], weight: number, unit: number) => {
    for (const { id, score } of hits) totals.set(id, (totals.get(id) ?? 0) + (weight * Math.max(0, score)) / unit)
  }
  add(keyword, KEYWORD_WEIGHT, best(keyword))
  add(vector, VECTOR_WEIGHT, best(vector))
  add(entity, WEIGHTS.entity, 1)
  return [...totals]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, count)
    .map(([id]) => id)
}

function best(hits: readonly Hit[]): number {
  return hits.reduce((most, { score }) => Math.max(most, score), Number.MIN_VALUE)
}
