import type { PlacedStatement, StatementGroup } from './align.js'
import { elsewhere } from './elsewhere.js'
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
/** From here on a run says how it ended. */
const LAST_PLACE = 0.9
/** A result at the end that fewer runs word alike is how they ended and no step. */
const COMMON_CHECK = 0.7

/** A statement with this share of the terms that its group has in common belongs there, whoever else says it. */
const CORE_SHARE = 0.67
/** Share of the pairs of steps of runs that may be swapped; with few pairs fewer, since chance orders some. */
const MOST_SWAPPED = 0.2

export function stepOf(statements: StatementGroup): Step {
  return { statements, traces: [...new Set(statements.map(({ trace }) => trace))].sort((a, b) => a - b) }
}

/** Returns whether so many of the traces and agents say it that it may be a step. */
export function isCommon(statements: StatementGroup, traces: readonly ReadTrace[]): boolean {
  const { traces: taken } = stepOf(statements)
  const agents = new Set(taken.map((trace) => traces[trace]!.trace.agentId))
  return taken.length >= Math.max(LEAST_TRACES, LEAST_SHARE * traces.length) && agents.size >= LEAST_AGENTS
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
  const candidates = groups.filter(
    (statements) =>
      isCommon(statements, traces) && !isEnding(statements, stepOf(statements).traces.length / traces.length),
  )
  const { rateOf, isSmallTalk } = elsewhere(candidates.map(coreTerms), cluster, vocabulary)
  const steps = candidates.flatMap((statements): Step[] => {
    const { traces: taken } = stepOf(statements)
    const core = coreTerms(statements)
    if (chanceOf(taken.length, traces.length, rateOf(core)) > MOST_CHANCE) return []
    const isLikeOthers = ({ statement: { terms } }: PlacedStatement) =>
      core.filter((term) => terms.includes(term)).length >= CORE_SHARE * core.length
    const said = onceARun(
      statements.filter((placed) => isLikeOthers(placed) || !isSmallTalk([...placed.statement.terms])),
    )
    return isCommon(said, traces) ? [stepOf(said)] : []
  })
  return inMajorityOrder(steps)
}

/** Leaves of the statements of one run the one that stands nearest to where most of them stand. */
function onceARun(statements: StatementGroup): StatementGroup {
  const places = statements.map(({ place }) => place).sort((a, b) => a - b)
  const middle = places[places.length >> 1]!
  const nearest = new Map<number, PlacedStatement>()
  for (const placed of statements) {
    const other = nearest.get(placed.trace)
    if (!other || Math.abs(placed.place - middle) < Math.abs(other.place - middle)) nearest.set(placed.trace, placed)
  }
  return statements.filter((placed) => nearest.get(placed.trace) === placed)
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
    .map((one) => ({ ...one, ending: readEnding(one.statement.text, one.statement.memory.language ?? null) }))
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

/**
 * Returns whether the runs take the steps in one order: what they take in any order is what they happen to say, and no workflow. Of
 * two steps of a run, some may be swapped.
 */
export function areInOneOrder(steps: readonly Step[]): boolean {
  const places = steps.map(({ statements }) => firstPlaces(statements))
  let [swapped, all] = [0, 0]
  for (const [i, before] of places.entries())
    for (const after of places.slice(i + 1))
      for (const [trace, place] of before) {
        const other = after.get(trace)
        if (other === undefined || other === place) continue
        all++
        if (place > other) swapped++
      }
  return swapped <= Math.max(0, MOST_SWAPPED * all - 1)
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
