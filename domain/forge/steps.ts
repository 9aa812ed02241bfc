import type { StatementGroup } from './align.js'
import { readEnding } from './ending.js'
import type { ReadTrace, Vocabulary } from './vocabulary.js'

/** A step of a workflow: statements of several runs that say the same. */
export interface Step {
  readonly statements: StatementGroup
  /** Positions of the traces that take the step, ascending. */
  readonly traces: readonly number[]
}

/** A group is a step when so many of the traces say it, */
const LEAST_SHARE = 0.4
/** and at least two agents. */
const LEAST_TRACES = 2
const LEAST_AGENTS = 2
/** Small talk is said everywhere: the chance that so many of these traces would say it if they were like all others. */
const MOST_CHANCE = 0.0003
/** Traces that are assumed elsewhere, one in a hundred of which says it: a part may have nothing but one workflow. */
const ASSUMED_ELSEWHERE = 50
const ASSUMED_HOLDERS = 0.5
/** Traces elsewhere that are looked at for a sentence. */
const MOST_LOOKED_AT = 400
/** A sentence elsewhere says the same when it has this share of the terms that the group's sentences have in common. */
const SAME_SHARE = 0.67
/** From here on a run says how it ended. */
const LAST_PLACE = 0.9
/** A result at the end that fewer runs word alike is how they ended and no step. */
const COMMON_CHECK = 0.7

export function stepOf(statements: StatementGroup): Step {
  return { statements, traces: [...new Set(statements.map(({ trace }) => trace))].sort((a, b) => a - b) }
}

/**
 * Returns the groups, goals left out, that are steps of the given traces, in the order in which most of them take them. `cluster` are the
 * positions of all traces of the same work in the part.
 */
export function stepsAmong(
  groups: readonly StatementGroup[],
  traces: readonly ReadTrace[],
  cluster: ReadonlySet<number>,
  vocabulary: Vocabulary,
): Step[] {
  const steps = groups.flatMap((statements): Step[] => {
    const step = stepOf(statements)
    const { traces: taken } = step
    const agents = new Set(taken.map((trace) => traces[trace]!.trace.agentId))
    if (taken.length < Math.max(LEAST_TRACES, LEAST_SHARE * traces.length) || agents.size < LEAST_AGENTS) return []
    if (isEnding(statements, taken.length / traces.length)) return []
    const rate = rateElsewhere(coreTerms(statements), cluster, vocabulary)
    return chanceOf(taken.length, traces.length, rate) > MOST_CHANCE ? [] : [step]
  })
  return inMajorityOrder(steps)
}

/** Returns the share of the traces elsewhere in the part that have a sentence like these. */
function rateElsewhere(core: readonly number[], cluster: ReadonlySet<number>, { traces, holders }: Vocabulary): number {
  const rarest = core.reduce((a, b) => (holders[b]!.length < holders[a]!.length ? b : a))
  const others = holders[rarest]!.filter((position) => !cluster.has(position))
  const wanted = new Set(core)
  const least = SAME_SHARE * core.length
  const looked = others.subarray(0, MOST_LOOKED_AT)
  const saying = looked.filter((position) =>
    traces[position]!.statements.some(({ terms }) => terms.filter((term) => wanted.has(term)).length >= least),
  ).length
  const said = looked.length === 0 ? 0 : (saying * others.length) / looked.length
  return Math.min(1, (said + ASSUMED_HOLDERS) / (traces.length - cluster.size + ASSUMED_ELSEWHERE))
}

/** Returns the chance that at least `count` of `all` do what each does at this rate (binomial distribution). */
function chanceOf(count: number, all: number, rate: number): number {
  let chance = 0
  let ways = 1
  for (let k = 0; k <= all; k++) {
    if (k >= count) chance += ways * rate ** k * (1 - rate) ** (all - k)
    ways = (ways * (all - k)) / (k + 1)
  }
  return chance
}

/** Returns the terms that at least half of the statements have, or else the most common ones. */
export function coreTerms(statements: StatementGroup): number[] {
  const counts = new Map<number, number>()
  for (const { statement } of statements)
    for (const term of statement.terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const least = Math.min(statements.length / 2, Math.max(...counts.values()))
  return [...counts].filter(([, count]) => count >= least).map(([term]) => term)
}

/** Returns whether the statements say how the runs ended: "All done." What many runs check in the end is a step. */
function isEnding(statements: StatementGroup, share: number): boolean {
  const told = statements
    .filter(({ place }) => place > 0.6)
    .map((one) => ({ ...one, ending: readEnding(one.statement.text) }))
  const isMost = (count: number) => count * 2 >= statements.length
  const isBare = told.filter(({ ending, statement }) => ending.isFirm && statement.terms.length <= 2)
  const isLast = told.filter(
    ({ ending, place }) => place > LAST_PLACE && (ending.isFirm || (share < COMMON_CHECK && ending.polarity !== 0)),
  )
  return isMost(isBare.length) || isMost(isLast.length)
}

/** Sorts steps by how many others they precede in most of the runs that take both; then by their mean place. */
function inMajorityOrder(steps: readonly Step[]): Step[] {
  const places = steps.map(({ statements }) => firstPlaces(statements))
  const means = places.map((of) => [...of.values()].reduce((sum, place) => sum + place, 0) / of.size)
  const wins = steps.map((_, a) => steps.filter((_, b) => b !== a && precedes(places[a]!, places[b]!)).length)
  return [...steps.keys()].sort((a, b) => wins[b]! - wins[a]! || means[a]! - means[b]! || a - b).map((i) => steps[i]!)
}

function firstPlaces(statements: StatementGroup): Map<number, number> {
  const places = new Map<number, number>()
  for (const { trace, place } of statements) places.set(trace, Math.min(place, places.get(trace) ?? 1))
  return places
}

function precedes(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  let lead = 0
  for (const [trace, place] of a) {
    const other = b.get(trace)
    if (other !== undefined) lead += Math.sign(other - place)
  }
  return lead > 0
}
