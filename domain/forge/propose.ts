import { withoutCopies } from './copies.js'
import { distil } from './distil.js'
import type { Distilled, TextLimits } from './distilled.js'
import { evidenceWeight } from './evidence.js'
import { SAME_WORK, sketchLikeness } from './fingerprint.js'
import type { TraceReports } from './outcome.js'
import { type ForgeMemory, type Part, type Trace, tracesOf, type Window } from './traces.js'
import { findWorkflows, type JudgedTrace, type Unfit, type Workflow } from './workflows.js'

interface Proposal {
  readonly workflow: Workflow
  readonly skill: Distilled
  /** Successes × distinct agents × recency. */
  readonly weight: number
}

/** A part of a tick: its skills, the best first, and the clusters of which none came. */
export interface PartProposals {
  readonly part: Part
  /** All of its traces that have more than copies, with how they ended. */
  readonly traces: readonly JudgedTrace[]
  readonly proposals: readonly Proposal[]
  readonly unfit: readonly Unfit[]
}

/** Returns what memories of one tenant teach, fleet by fleet; the same for the same memories in any order. */
export function proposeSkills(
  memories: Iterable<ForgeMemory>,
  window: Window,
  limits: TextLimits,
  reportsOn?: (trace: Trace) => TraceReports,
): PartProposals[] {
  const parts = new Map<string | null, Trace[]>()
  for (const trace of withoutCopies(tracesOf(memories, window))) {
    const of = parts.get(trace.part.fleetId)
    if (of) of.push(trace)
    else parts.set(trace.part.fleetId, [trace])
  }
  return [...parts.values()].map((traces) => proposalsOf(traces, window, limits, reportsOn))
}

function proposalsOf(
  traces: readonly Trace[],
  window: Window,
  limits: TextLimits,
  reportsOn?: (trace: Trace) => TraceReports,
): PartProposals {
  const { workflows, unfit, judged, vocabulary } = findWorkflows(traces, reportsOn)
  const proposals = workflows.map((workflow): Proposal => {
    const skill = distil(workflow, vocabulary, limits)
    return { workflow, skill, weight: evidenceWeight(skill.figures, window) }
  })
  proposals.sort((a, b) => b.weight - a.weight || (a.skill.fingerprint < b.skill.fingerprint ? -1 : 1))
  const { distinct, repeated } = withoutSameWork(proposals)
  return { part: traces[0]!.part, traces: judged, proposals: distinct, unfit: [...unfit, ...repeated] }
}

/** Parts proposals of work that one before them is about from the others. */
function withoutSameWork(proposals: readonly Proposal[]): { distinct: Proposal[]; repeated: Unfit[] } {
  const distinct: Proposal[] = []
  const repeated: Unfit[] = []
  for (const proposal of proposals) {
    const { skill, workflow } = proposal
    const isSame = distinct.some((other) => sketchLikeness(other.skill.sketch, skill.sketch) >= SAME_WORK)
    if (isSame)
      repeated.push({ traces: workflow.traces.map(({ trace }) => trace.key), reason: 'same work as another cluster' })
    else distinct.push(proposal)
  }
  return { distinct, repeated }
}
