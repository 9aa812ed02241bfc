import type { Point } from './agglomerate.js'

/** Points that each point is compared with, at most: those with the most weight in common. */
const NEAREST = 24
/**
 * Others that one feature leads a point to: the next ones in order, and after the last the first. A workflow of thousands of
 * traces still finds itself, and the cost grows with the points and not with their square.
 */
const OTHERS_BY_FEATURE = 200

/** Returns pairs of points that may be similar, as positions, the lower first. Found by features in common. */
export function neighbourPairs(points: readonly Point[], features: number): [number, number][] {
  const postings = postingsOf(points, features)
  const shared = new Float64Array(points.length)
  const pairs = new Set<number>()
  for (const [i, { ids, weights }] of points.entries()) {
    const touched: number[] = []
    for (const [k, id] of ids.entries()) {
      const squared = weights[k]! ** 2
      for (const j of othersIn(postings, id, i)) {
        if (shared[j] === 0) touched.push(j)
        shared[j]! += squared
      }
    }
    for (const j of largest(touched, shared)) pairs.add(i < j ? i * points.length + j : j * points.length + i)
    for (const j of touched) shared[j] = 0
  }
  return [...pairs].sort((a, b) => a - b).map((pair) => [Math.floor(pair / points.length), pair % points.length])
}

interface Postings {
  readonly starts: Uint32Array
  readonly members: Uint32Array
}

function postingsOf(points: readonly Point[], features: number): Postings {
  const starts = new Uint32Array(features + 1)
  for (const { ids } of points) for (const id of ids) starts[id + 1]!++
  for (let id = 0; id < features; id++) starts[id + 1]! += starts[id]!
  const members = new Uint32Array(starts[features]!)
  const next = starts.slice()
  for (const [i, { ids }] of points.entries()) for (const id of ids) members[next[id]!++] = i
  return { starts, members }
}

function* othersIn({ starts, members }: Postings, id: number, own: number): Generator<number> {
  const [begin, end] = [starts[id]!, starts[id + 1]!]
  const count = end - begin
  if (count < 2) return
  let low = begin
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if (members[middle]! < own) low = middle + 1
    else high = middle
  }
  for (let n = 1; n < count && n <= OTHERS_BY_FEATURE; n++) yield members[begin + ((low - begin + n) % count)]!
}

/** Returns the positions with the largest values; of equal ones the first. */
function largest(positions: number[], values: Float64Array): number[] {
  if (positions.length <= NEAREST) return positions
  return positions.sort((a, b) => values[b]! - values[a]! || a - b).slice(0, NEAREST)
}
