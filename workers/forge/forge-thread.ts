import { createHash } from 'node:crypto'
import { setPriority } from 'node:os'
import type { Distilled, TextLimits } from '../../domain/forge/distil.js'
import { distinctCredentials } from '../../domain/forge/evidence.js'
import { NO_REPORTS, type TraceReports } from '../../domain/forge/outcome.js'
import { type PartProposals, proposeSkills } from '../../domain/forge/propose.js'
import { evidenceTime, type Part, type Trace, type Window } from '../../domain/forge/traces.js'
import type { Unfit } from '../../domain/forge/workflows.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import { type EvidenceMemory, traceKey, type TraceKey } from '../../store/forge/evidence.js'
import type { TraceOutcome } from '../../store/forge/traces.js'

/** A memory as it was read. */
interface ReadMemory {
  readonly id: string
  readonly version: number
}

/** A skill that the part's memories teach, as the run goes on with it. */
export interface ProposedSkill extends Omit<Distilled, 'steps' | 'lessons' | 'cites' | 'sources' | 'part'> {
  /** Position among the thread's proposals, to ask for its memories. */
  readonly position: number
  readonly steps: readonly { readonly text: string }[]
  readonly cites: readonly ReadMemory[]
  readonly sources: readonly ReadMemory[]
  /** Credentials that wrote the memories of the runs that succeeded. */
  readonly distinctCredentials: number
  /** Successes × distinct agents × recency. */
  readonly weight: number
  /** Digest over what the evidence says: equal while nothing has changed, whatever a model makes of it. */
  readonly digest: string
}

/** The ends of a part's traces, and the skills that they teach. */
export interface PartAnswer {
  readonly traces: readonly TraceOutcome[]
  readonly proposals: readonly ProposedSkill[]
  readonly unfit: readonly { readonly reason: Unfit['reason']; readonly clusters: number; readonly traces: number }[]
}

const memories: EvidenceMemory[] = []
const versions = new Map<string, number>()
const reports = new Map<string, TraceReports>()
let proposals: PartProposals['proposals'] = []

const keyOf = ({ memories, runId, agentId }: Trace): TraceKey => ({ fleetId: memories[0]!.fleetId, runId, agentId })

/** Reads one part and then answers for it: a thread is started for each part, and holds that part's memories alone. */
const tasks = {
  /** Takes a page of memories, and what other tables say of their traces. */
  add(page: readonly EvidenceMemory[], reported: readonly (readonly [string, TraceReports])[]): void {
    for (const memory of page) {
      memories.push(memory)
      versions.set(memory.id, memory.version)
    }
    for (const [key, report] of reported) reports.set(key, report)
  },

  /** Finds the workflows of the part in the memories that were added. */
  propose({ part, window, limits }: { part: Part; window: Window; limits: TextLimits }): PartAnswer {
    const parts = proposeSkills(memories, window, limits, (trace) => reports.get(traceKey(keyOf(trace))) ?? NO_REPORTS)
    // A memory that changed its audience since its trace was selected may have made the trace another part's.
    const own = parts.find((one) => one.part.fleetId === part.fleetId)
    if (!own) return { traces: [], proposals: [], unfit: [] }
    proposals = own.proposals
    return {
      traces: own.traces.map(({ trace, outcome }) => ({
        ...keyOf(trace),
        ...outcome,
        endedAt: new Date(evidenceTime(trace.stored.at(-1)!)),
        memoryIds: trace.stored.map(({ id }) => id),
      })),
      proposals: proposals.map((proposal, position) => proposedSkill(proposal, position)),
      unfit: countUnfit(own.unfit),
    }
  },

  /** Returns a proposed skill with the memories behind its lines, for a model to word. */
  skillAt(position: number): Distilled {
    const { skill } = proposals[position]!
    const withoutVectors = (lines: Distilled['steps']) =>
      lines.map(({ text, memories }) => ({ text, memories: memories.map((memory) => ({ ...memory, vector: null })) }))
    return { ...skill, steps: withoutVectors(skill.steps), lessons: withoutVectors(skill.lessons) }
  },
}
export type ForgeTasks = typeof tasks

function proposedSkill(
  { workflow, skill, weight }: PartProposals['proposals'][number],
  position: number,
): ProposedSkill {
  const credentials = distinctCredentials(workflow)
  const { part: _part, steps, lessons: _lessons, cites, sources, ...rest } = skill
  const asRead = (ids: readonly string[]) => ids.map((id) => ({ id, version: versions.get(id)! }))
  const digest = createHash('sha256').update(JSON.stringify([skill.description, skill.content, cites, credentials]))
  return {
    ...rest,
    position,
    steps: steps.map(({ text }) => ({ text })),
    cites: asRead(cites),
    sources: asRead(sources),
    distinctCredentials: credentials,
    weight,
    digest: `sha256:${digest.digest('hex')}`,
  }
}

function countUnfit(unfit: readonly Unfit[]): PartAnswer['unfit'] {
  const counts = new Map<Unfit['reason'], { clusters: number; traces: number }>()
  for (const { reason, traces } of unfit) {
    const { clusters = 0, traces: before = 0 } = counts.get(reason) ?? {}
    counts.set(reason, { clusters: clusters + 1, traces: before + traces.length })
  }
  return [...counts].map(([reason, count]) => ({ reason, ...count }))
}

// On Linux a priority is that of the thread: the event loop, where somebody waits for a recall, goes first.
try {
  setPriority(10)
} catch {
  // Not allowed here: it computes at the usual priority.
}
serveTasks(tasks)
