import { VECTOR_WEIGHT, WEIGHTS, KEYWORD_WEIGHT } from './weights.js'

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
