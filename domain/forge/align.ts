import { agglomerate, type Point } from './agglomerate.js'
import { centred } from './vectors.js'
import type { ReadStatement, ReadTrace } from './vocabulary.js'

/** A statement of one of the traces that are aligned. */
export interface PlacedStatement {
  readonly statement: ReadStatement
  /** Position of its trace. */
  readonly trace: number
  /** 0 for the first statement of the trace, 1 for the last. */
  readonly place: number
}

/** Statements that say the same step, in the order of traces and places. */
export type StatementGroup = readonly PlacedStatement[]

const LINKAGE = { least: 0.26, cohesion: 0.35, apart: 0.4 } as const
/** Similarity of a statement to the others of its group, places and vectors aside. */
const LEAST_LIKENESS = 0.1
/** Shares of a similarity that are the places in the runs, and the vectors of the memories where there are any. */
const PLACE_SHARE = 0.2
const VECTOR_SHARE = 0.25
/** Statements that are assumed beside those given: with few of them their mean is what one step says. */
const ASSUMED_STATEMENTS = 10

/**
 * Groups the statements of traces that do the same work by what they say. Two statements are similar by the terms that tell
 * steps of this work from one another, and by their places in their runs; a trace rarely says a step twice.
 */
export function alignStatements(
  traces: readonly ReadTrace[],
  rarity: Float64Array,
): { groups: StatementGroup[]; weights: Float64Array } {
  const placed = placedIn(traces, 0)
  const weights = localWeights(placed, traces.length, rarity)
  const vectors = centred(
    placed.map(({ statement }) => statement.memory.vector ?? null),
    ASSUMED_STATEMENTS,
  )
  const hasVectors = vectors.some((vector) => vector !== null)
  const points = placed.map((one, i): Point => ({
    ...unit(one.statement.terms, weights),
    dense: denseOf(one.place, hasVectors ? vectors[i]! : undefined),
    group: one.trace,
  }))
  const denseShare = PLACE_SHARE + (hasVectors ? VECTOR_SHARE : 0)
  const pairs = hasVectors ? allPairs(points.length) : pairsWithCommonTerms(points)
  const groups = agglomerate(points, pairs, { ...LINKAGE, denseShare }).flatMap((group) => trimmed(group, points))
  return { groups: groups.map((group) => group.map((i) => placed[i]!)), weights }
}

/** Parts a group from the statements that have too little in common with the others. */
function trimmed(group: readonly number[], points: readonly Point[]): number[][] {
  if (group.length < 3) return [[...group]]
  const sum = sumOf(group.map((i) => points[i]!))
  const isLike = (i: number) => {
    const { ids, weights } = points[i]!
    let likeness = -1
    for (const [k, id] of ids.entries()) likeness += weights[k]! * sum.get(id)!
    return likeness / (group.length - 1) >= LEAST_LIKENESS
  }
  return [group.filter(isLike), ...group.filter((i) => !isLike(i)).map((i) => [i])].filter(({ length }) => length > 0)
}

function placedIn(traces: readonly ReadTrace[], first: number): PlacedStatement[] {
  return traces.flatMap(({ statements }, trace) =>
    statements.map((statement, i) => ({
      statement,
      trace: first + trace,
      place: statements.length < 2 ? 0 : i / (statements.length - 1),
    })),
  )
}

/**
 * Adds statements of further traces, which have the positions from `first` on, to the groups: each to the one that it is
 * most like, if it is like it enough.
 */
export function assignStatements(
  groups: readonly StatementGroup[],
  traces: readonly ReadTrace[],
  first: number,
  weights: Float64Array,
): StatementGroup[] {
  const holders = new Map<number, { group: number; weight: number }[]>()
  for (const [group, statements] of groups.entries())
    for (const [term, weight] of sumOf(statements.map(({ statement }) => unit(statement.terms, weights)))) {
      const held = { group, weight: weight / statements.length }
      const others = holders.get(term)
      if (others) others.push(held)
      else holders.set(term, [held])
    }
  const extended = groups.map((group) => [...group])
  for (const placed of placedIn(traces, first)) {
    const { ids, weights: own } = unit(placed.statement.terms, weights)
    const likeness = new Float64Array(groups.length)
    for (const [k, id] of ids.entries())
      for (const { group, weight } of holders.get(id) ?? []) likeness[group]! += own[k]! * weight
    const best = likeness.reduce((a, value, b) => (value > likeness[a]! ? b : a), 0)
    if (likeness[best]! >= LINKAGE.least) extended[best]!.push(placed)
  }
  return extended
}

/** Returns the sum of sparse vectors. */
export function sumOf(points: readonly Pick<Point, 'ids' | 'weights'>[]): Map<number, number> {
  const sum = new Map<number, number>()
  for (const { ids, weights } of points)
    for (const [k, id] of ids.entries()) sum.set(id, (sum.get(id) ?? 0) + weights[k]!)
  return sum
}

/** A term of few runs that stands in several statements of each is the case at hand (a customer, a machine), not a step. */
const CASE_SHARE = 0.5
const CASE_STATEMENTS = 1.8
const CASE_WEIGHT = 0.2

/** Returns how well each term tells the statements of these traces apart, as far as it tells anything in the whole part. */
function localWeights(placed: readonly PlacedStatement[], traces: number, rarity: Float64Array): Float64Array {
  const counts = new Float64Array(rarity.length)
  const holders = new Float64Array(rarity.length)
  const last = new Int32Array(rarity.length).fill(-1)
  for (const { statement, trace } of placed)
    for (const term of statement.terms) {
      counts[term]!++
      if (last[term] !== trace) holders[term]!++
      last[term] = trace
    }
  const all = placed.length + 1
  return counts.map((count, term) => {
    if (count === 0) return 0
    const isCase = holders[term]! < CASE_SHARE * traces && count >= CASE_STATEMENTS * holders[term]!
    return Math.log(1 + all / count) * rarity[term]! * (isCase ? CASE_WEIGHT : 1)
  })
}

/** Returns the terms' weights at unit length. */
export function unit(terms: Uint32Array, weights: Float64Array): Pick<Point, 'ids' | 'weights'> {
  const ids = terms.slice().sort()
  const own = Float32Array.from(ids, (term) => weights[term]!)
  let squares = 0
  for (const weight of own) squares += weight * weight
  const length = Math.sqrt(squares) || 1
  return { ids, weights: own.map((weight) => weight / length) }
}

/**
 * Returns a unit vector for a place, and the meaning beside it: the product of two is 1 for the same place, 0 for the first
 * and the last.
 */
function denseOf(place: number, vector: Float32Array | null | undefined): Float32Array {
  const ofPlace = [Math.cos((place * Math.PI) / 2), Math.sin((place * Math.PI) / 2)]
  if (vector === undefined) return Float32Array.from(ofPlace)
  const all = PLACE_SHARE + VECTOR_SHARE
  const [a, b] = [Math.sqrt(PLACE_SHARE / all), Math.sqrt(VECTOR_SHARE / all)]
  const meaning = vector ?? new Float32Array(0)
  return Float32Array.from([...ofPlace.map((value) => value * a), ...Array.from(meaning, (value) => value * b)])
}

function allPairs(count: number): [number, number][] {
  const pairs: [number, number][] = []
  for (let b = 1; b < count; b++) for (let a = 0; a < b; a++) pairs.push([a, b])
  return pairs
}

function pairsWithCommonTerms(points: readonly Point[]): [number, number][] {
  const holders = new Map<number, number[]>()
  for (const [i, { ids }] of points.entries())
    for (const id of ids) {
      const others = holders.get(id)
      if (others) others.push(i)
      else holders.set(id, [i])
    }
  const pairs = new Set<number>()
  for (const others of holders.values())
    for (const [n, b] of others.entries()) for (const a of others.slice(0, n)) pairs.add(a * points.length + b)
  return [...pairs].sort((a, b) => a - b).map((pair) => [Math.floor(pair / points.length), pair % points.length])
}
