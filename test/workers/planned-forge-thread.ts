import type { ProposedSkill } from '../../domain/forge/proposed-skill.js'
import type { Part } from '../../domain/forge/traces.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import type { EvidenceMemory } from '../../store/forge/evidence.js'
import type { TraceOutcome } from '../../store/forge/traces.js'
import type { PartAnswer } from '../../workers/forge/forge-thread.js'

const memories: EvidenceMemory[] = []

/** Proposes one skill for each part, of all of its memories: the more they are, the heavier. */
serveTasks({
  add(page: readonly EvidenceMemory[]): void {
    memories.push(...page)
  },
  propose({ part }: { part: Part }): PartAnswer {
    return { traces: memories.map(traceOf), proposals: [skillOf(part)], unfit: [] }
  },
})

function traceOf({ id, fleetId, runId, agentId, createdAt }: EvidenceMemory): TraceOutcome {
  return {
    fleetId,
    runId: runId!,
    agentId: agentId!,
    label: 'success',
    signals: [],
    endedAt: createdAt,
    memoryIds: [id],
  }
}

function skillOf({ fleetId }: Part): ProposedSkill {
  const fleet = fleetId ?? 'all'
  const cites = memories.map(({ id, version }) => ({ id, version }))
  const text = memories[0]!.content
  return {
    name: `Work of ${fleet}`,
    slug: `work-of-${fleet}`,
    domain: fleet,
    goal: '',
    description: `When ${fleet} works.`,
    summary: text,
    tags: [],
    content: `## Steps\n\n1. ${text}`,
    fingerprint: `fp:v1:${fleet}`,
    sketch: Array.from({ length: 64 }, (_, i) => 1_000 * fleet.charCodeAt(0) + i),
    figures: {
      clusterSize: 4,
      distinctAgents: 4,
      windowStart: Date.now(),
      windowEnd: Date.now(),
      successShare: 1,
      failures: 0,
      unknown: 0,
    },
    steps: [{ text, memories: cites.map(({ id }) => id) }],
    lessons: [],
    cites,
    sources: [],
    distinctCredentials: 4,
    weight: memories.length,
    digest: `sha256:${cites.map(({ id }) => id).join()}`,
  }
}
