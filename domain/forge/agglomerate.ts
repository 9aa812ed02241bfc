import { createHeap } from './heap.js'

/** An item to cluster: a sparse vector (ids ascending), and a dense one beside it. */
export interface Point {
  readonly ids: Uint32Array
  readonly weights: Float32Array
  readonly dense: Float32Array | null
  /** Two points of one group are less similar by `apart`; −1 is no group. */
  readonly group: number
}

export interface Linkage {
  /** Clusters that are less similar than this stay apart. */
  readonly least: number
  /** Clusters stay apart when they are less similar than this share of what the looser of them is in itself. */
  readonly cohesion: number
  /** Share of the similarity that the dense vectors are, where both points have one. */
  readonly denseShare: number
  /** Similarity that two points of one group lose. */
  readonly apart: number
}

interface Cluster {
  readonly members: number[]
  readonly sum: Map<number, number>
  readonly dense: Float64Array | null
  readonly groups: Map<number, number>
  readonly neighbours: Set<number>
  /** Mean similarity of its members to one another; of a single point 1. */
  readonly cohesion: number
}

/**
 * Clusters points from the bottom up by average linkage (UPGMA): the two most similar clusters merge until none are similar
 * enough. The mean similarity of all pairs is the product of the clusters' sums, so no pair is looked at twice, and one
 * close pair never pulls two clusters together. Only clusters between which there is one of `pairs` may merge. Returns
 * clusters as ascending positions, in the order of their first; equal similarities are taken in the order of the points.
 */
export function agglomerate(
  points: readonly Point[],
  pairs: readonly (readonly [number, number])[],
  linkage: Linkage,
): number[][] {
  const clusters = new Map<number, Cluster>(points.map((point, i) => [i, single(point, i)]))
  const heap = createHeap()
  const offer = (a: number, b: number) => {
    const [x, y] = [clusters.get(a)!, clusters.get(b)!]
    const similarity = meanSimilarity(x, y, linkage)
    if (similarity >= linkage.least && similarity >= linkage.cohesion * Math.min(x.cohesion, y.cohesion))
      heap.push({ value: similarity, a, b })
  }
  for (const [a, b] of pairs) {
    clusters.get(a)!.neighbours.add(b)
    clusters.get(b)!.neighbours.add(a)
  }
  for (const [a, b] of pairs) offer(a, b)
  let next = points.length
  for (let best = heap.pop(); best; best = heap.pop()) {
    const [x, y] = [clusters.get(best.a), clusters.get(best.b)]
    if (!x || !y) continue
    const merged = merge(x, y, best.value)
    clusters.delete(best.a)
    clusters.delete(best.b)
    merged.neighbours.delete(best.a)
    merged.neighbours.delete(best.b)
    clusters.set(next, merged)
    for (const other of [...merged.neighbours].sort((a, b) => a - b)) {
      const { neighbours } = clusters.get(other)!
      neighbours.delete(best.a)
      neighbours.delete(best.b)
      neighbours.add(next)
      offer(other, next)
    }
    next++
  }
  return [...clusters.values()].map(({ members }) => members.sort((a, b) => a - b)).sort(([a], [b]) => a! - b!)
}

function single({ ids, weights, dense, group }: Point, position: number): Cluster {
  return {
    members: [position],
    sum: new Map(Array.from(ids, (id, k) => [id, weights[k]!])),
    dense: dense && Float64Array.from(dense),
    groups: new Map(group < 0 ? [] : [[group, 1]]),
    neighbours: new Set(),
    cohesion: 1,
  }
}

function meanSimilarity(a: Cluster, b: Cluster, { denseShare, apart }: Linkage): number {
  const pairs = a.members.length * b.members.length
  const sparse = product(a.sum, b.sum) / pairs
  const dense = a.dense && b.dense ? denseProduct(a.dense, b.dense) / pairs : sparse
  const together = a.groups.size + b.groups.size > 0 ? product(a.groups, b.groups) / pairs : 0
  return (1 - denseShare) * sparse + denseShare * dense - apart * together
}

function product(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number {
  const [short, long] = a.size < b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [id, weight] of short) {
    const other = long.get(id)
    if (other !== undefined) sum += weight * other
  }
  return sum
}

function denseProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = Math.min(a.length, b.length) - 1; i >= 0; i--) sum += a[i]! * b[i]!
  return sum
}

function merge(a: Cluster, b: Cluster, similarity: number): Cluster {
  const pairsIn = ({ members: { length } }: Cluster) => (length * (length - 1)) / 2
  const between = a.members.length * b.members.length
  const within = a.cohesion * pairsIn(a) + b.cohesion * pairsIn(b) + similarity * between
  return {
    members: [...a.members, ...b.members],
    sum: added(a.sum, b.sum),
    dense: a.dense && b.dense && denseSum(a.dense, b.dense),
    groups: added(a.groups, b.groups),
    neighbours: new Set([...a.neighbours, ...b.neighbours]),
    cohesion: within / (pairsIn(a) + pairsIn(b) + between),
  }
}

/** Returns the sum; missing components are 0. */
function denseSum(a: Float64Array, b: Float64Array): Float64Array {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long.map((value, i) => value + (short[i] ?? 0))
}

/** Adds the smaller map to the larger, which is changed. */
function added(a: Map<number, number>, b: Map<number, number>): Map<number, number> {
  const [short, long] = a.size < b.size ? [a, b] : [b, a]
  for (const [id, weight] of short) long.set(id, (long.get(id) ?? 0) + weight)
  return long
}
