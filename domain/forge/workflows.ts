import { agglomerate, type Point } from './agglomerate.js'
import { alignStatements, assignStatements, type StatementGroup, unit } from './align.js'
import { endingOf } from './ending.js'
import { neighbourPairs } from './neighbours.js'
import { type Outcome, outcomeOf, NO_REPORTS, type TraceReports } from './outcome.js'
import { announcementTest, goalsAmong } from './goal.js'
import { areInOneOrder, type Step, stepOf, stepsAmong } from './steps.js'
import type { Trace } from './traces.js'
import { centred, direction } from './vectors.js'
import { ASSUMED_TRACES, rarities, raritiesAmong, type ReadTrace, readTraces, type Vocabulary } from './vocabulary.js'

/** A trace with how it ended. */
export interface JudgedTrace extends ReadTrace {
  readonly outcome: Outcome
}

/** Runs of one part that do the same work. */
export interface Workflow {
  /** Runs that succeeded, or of which nothing is known; steps refer to them by position. */
  readonly traces: readonly JudgedTrace[]
  readonly failures: readonly JudgedTrace[]
  readonly steps: readonly Step[]
  /** Announcements of the work. */
  readonly goal: StatementGroup | null
}

/** A cluster of which no workflow can be told, and why. */
export interface Unfit {
  readonly traces: readonly string[]
  readonly reason: 'too few steps in common' | 'same work as another cluster'
}

const LINKAGE = { least: 0.12, cohesion: 0.2, denseShare: 0.05, apart: 0 } as const
/** Runs of a cluster that are aligned: more add nothing but time. */
const MOST_ALIGNED = 40
const LEAST_STEPS = 2
/** Runs that a workflow leaves over in its cluster are looked at again when they are so many; clusters are parted so often. */
const LEAST_LEFT = 3
const DEEPEST = 3
/** A run does the work when it takes this share of the steps. */
const LEAST_TAKEN = 0.34

/** Finds the workflows in the traces of one part. The order of the traces does not matter. */
export function findWorkflows(
  traces: readonly Trace[],
  reportsOn: (trace: Trace) => TraceReports = () => NO_REPORTS,
): { workflows: Workflow[]; unfit: Unfit[]; judged: JudgedTrace[]; vocabulary: Vocabulary } {
  const vocabulary = readTraces(traces)
  const rarity = rarities(vocabulary)
  const judged = vocabulary.traces.map((read): JudgedTrace => ({
    ...read,
    outcome: outcomeOf(read.trace, reportsOn(read.trace)),
  }))
  const clustersAmong = createClustering(judged, vocabulary.features.length)
  const workflows: Workflow[] = []
  const unfit: Unfit[] = []
  /** Looks for a workflow in a cluster, then in what it leaves over; without one, in the parts of the cluster. */
  const explore = (positions: readonly number[], depth: number): void => {
    const workflow = workflowOf(positions, judged, vocabulary, rarity)
    if (workflow) {
      workflows.push(workflow)
      const used = new Set([...workflow.traces, ...workflow.failures].map(({ trace }) => trace.key))
      const left = positions.filter((i) => !used.has(judged[i]!.trace.key))
      if (left.length >= LEAST_LEFT && depth < DEEPEST) explore(left, depth + 1)
      return
    }
    const parts = depth < DEEPEST ? clustersAmong(positions, raritiesAmong(vocabulary, positions)) : []
    if (parts.every(({ length }) => length === positions.length))
      unfit.push({ traces: positions.map((i) => judged[i]!.trace.key), reason: 'too few steps in common' })
    else for (const part of parts) explore(part, depth + 1)
  }
  for (const cluster of clustersAmong([...judged.keys()], rarity)) explore(cluster, 0)
  return { workflows, unfit, judged, vocabulary }
}

/** Returns a function for the clusters of two and more among traces at the given positions, by the weights of features. */
function createClustering(judged: readonly JudgedTrace[], features: number) {
  const vectors = centred(
    judged.map(({ trace }) => direction(trace.memories.flatMap(({ vector }) => vector ?? []))),
    ASSUMED_TRACES,
  )
  return (positions: readonly number[], weights: Float64Array): number[][] => {
    const points = positions.map((i): Point => ({
      ...unit(judged[i]!.features, weights),
      dense: vectors[i]!,
      group: -1,
    }))
    const clusters = agglomerate(points, neighbourPairs(points, features), LINKAGE)
    return clusters.map((members) => members.map((i) => positions[i]!)).filter(({ length }) => length > 1)
  }
}

function workflowOf(
  positions: readonly number[],
  judged: readonly JudgedTrace[],
  vocabulary: Vocabulary,
  rarity: Float64Array,
): Workflow | null {
  const members = positions.map((i) => judged[i]!)
  const cluster = new Set(positions)
  const failures = members.filter(({ outcome }) => outcome.label === 'failure')
  let traces = members.filter(({ outcome }) => outcome.label !== 'failure')
  for (;;) {
    const { goal, steps, weights } = stepsOf(traces, cluster, vocabulary, rarity)
    if (steps.length < LEAST_STEPS || !areInOneOrder(steps)) return null
    const taking = traces.filter((trace, i) => takesEnough(trace, i, steps) && mayHaveSucceeded(trace, i, steps))
    if (taking.length === traces.length)
      return { traces, failures: failures.filter((trace) => takesAny(trace, steps, weights)), steps, goal }
    traces = taking
  }
}

function stepsOf(
  traces: readonly JudgedTrace[],
  cluster: ReadonlySet<number>,
  vocabulary: Vocabulary,
  rarity: Float64Array,
) {
  const [aligned, others] = [traces.slice(0, MOST_ALIGNED), traces.slice(MOST_ALIGNED)]
  const { groups, weights } = alignStatements(aligned, rarity)
  const goals = goalsAmong(groups, aligned)
  const isAnnounced = announcementTest(aligned)
  const steps = stepsAmong(
    groups.flatMap((group) => (goals.includes(group) ? [] : [group.filter((placed) => !isAnnounced(placed))])),
    aligned,
    cluster,
    vocabulary,
  )
  const extended = assignStatements(
    steps.map(({ statements }) => statements),
    others,
    MOST_ALIGNED,
    weights,
  )
  return { goal: goals[0] ?? null, steps: extended.map(stepOf), weights }
}

/** Returns whether a run takes enough of the steps, and says some in words of its own. */
function takesEnough({ trace: { repeated } }: JudgedTrace, position: number, steps: readonly Step[]): boolean {
  const taken = steps.filter(({ traces }) => traces.includes(position))
  const isOwn = ({ statements }: Step) =>
    statements.some(({ trace, statement }) => trace === position && !repeated.has(statement.memory.id))
  return taken.some(isOwn) && taken.length >= Math.max(LEAST_STEPS, LEAST_TAKEN * steps.length)
}

/** Returns whether a failed run took a step of the work, in words of its own. */
function takesAny(failure: JudgedTrace, steps: readonly Step[], weights: Float64Array): boolean {
  const groups = steps.map(({ statements }) => statements)
  const { repeated } = failure.trace
  return assignStatements(groups, [failure], -1, weights).some((group) =>
    group.some(({ trace, statement }) => trace === -1 && !repeated.has(statement.memory.id)),
  )
}

/** Returns false for a run that ends with something that is no step, or bad, and was not understood: it may have failed. */
function mayHaveSucceeded({ outcome, statements }: JudgedTrace, position: number, steps: readonly Step[]): boolean {
  if (outcome.label === 'success') return true
  const last = statements.at(-1)!
  const isStep = steps.some((step) =>
    step.statements.some(({ trace, statement }) => trace === position && statement === last),
  )
  return isStep && endingOf(last.text, last.memory.language ?? null) !== -1
}
