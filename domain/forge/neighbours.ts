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
  const { starts, members } = postingsOf(points, features)
  /** Number of the points so far that have the feature. */
  const passed = new Uint32Array(features)
  const shared = new Float64Array(points.length)
  const pairs = new Set<number>()
  for (const [i, { ids, weights }] of points.entries()) {
    const touched: number[] = []
    for (let k = 0; k < ids.length; k++) {
      const id = ids[k]!
      const begin = starts[id]!
      const count = starts[id + 1]! - begin
      const squared = weights[k]! ** 2
      const others = Math.min(count - 1, OTHERS_BY_FEATURE)
      const own = passed[id]!++
      for (let n = 1; n <= others; n++) {
        const j = members[begin + ((own + n) % count)]!
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

/** Returns the positions with the largest values, of equal ones the first; in no order. */
function largest(positions: readonly number[], values: Float64Array): readonly number[] {
  if (positions.length <= NEAREST) return positions
  const best: number[] = []
  for (const position of positions) {
    const isBefore = (other: number) =>
      values[position]! > values[other]! || (values[position] === values[other] && position < other)
    if (best.length === NEAREST && !isBefore(best[NEAREST - 1]!)) continue
    let at = best.length === NEAREST ? NEAREST - 1 : best.length
    for (; at > 0 && isBefore(best[at - 1]!); at--) best[at] = best[at - 1]!
    best[at] = position
  }
  return best
}
