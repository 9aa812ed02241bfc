import { createHash } from 'node:crypto'
import { setPriority } from 'node:os'
import type { CitedLine, TextLimits } from '../../domain/forge/distilled.js'
import { distinctCredentials } from '../../domain/forge/evidence.js'
import { NO_REPORTS, type TraceReports } from '../../domain/forge/outcome.js'
import { type PartProposals, proposeSkills } from '../../domain/forge/propose.js'
import type { ProposedSkill } from '../../domain/forge/proposed-skill.js'
import { evidenceTime, type Part, type Trace, type Window } from '../../domain/forge/traces.js'
import type { Unfit } from '../../domain/forge/workflows.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import { type EvidenceMemory, traceKey, type TraceKey } from '../../store/forge/evidence.js'
import type { TraceOutcome } from '../../store/forge/traces.js'

/** The ends of a part's traces, and the skills that they teach. */
export interface PartAnswer {
  readonly traces: readonly TraceOutcome[]
  readonly proposals: readonly ProposedSkill[]
  readonly unfit: readonly { readonly reason: Unfit['reason']; readonly clusters: number; readonly traces: number }[]
}

const memories: EvidenceMemory[] = []
const versions = new Map<string, number>()
const reports = new Map<string, TraceReports>()

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
    return {
      traces: own.traces.map(({ trace, outcome }) => ({
        ...keyOf(trace),
        ...outcome,
        endedAt: new Date(evidenceTime(trace.stored.at(-1)!)),
        memoryIds: trace.stored.map(({ id }) => id),
      })),
      proposals: own.proposals.map(proposedSkill),
      unfit: countUnfit(own.unfit),
    }
  },
}
export type ForgeTasks = typeof tasks

function proposedSkill({ workflow, skill, weight }: PartProposals['proposals'][number]): ProposedSkill {
  const credentials = distinctCredentials(workflow)
  const { part: _part, steps, lessons, cites, sources, ...rest } = skill
  const asRead = (ids: readonly string[]) => ids.map((id) => ({ id, version: versions.get(id)! }))
  const digest = createHash('sha256').update(JSON.stringify([skill.description, skill.content, cites, credentials]))
  return {
    ...rest,
    steps: steps.map(withIds),
    lessons: lessons.map(withIds),
    cites: asRead(cites),
    sources: asRead(sources),
    distinctCredentials: credentials,
    weight,
    digest: `sha256:${digest.digest('hex')}`,
  }
}

function withIds({ text, memories }: CitedLine): ProposedSkill['steps'][number] {
  return { text, memories: memories.map(({ id }) => id) }
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
