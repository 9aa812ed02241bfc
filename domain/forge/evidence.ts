import { DAY_MS } from '../text/time-reference.js'
import { evidenceTime, type ForgeMemory, type Window } from './traces.js'
import type { Workflow } from './workflows.js'

/** The figures that the gates look at; null where there is nothing to count, which no gate passes. */
export interface EvidenceFigures {
  /** Runs that succeeded. */
  readonly clusterSize: number | null
  /** Agents of these runs. */
  readonly distinctAgents: number | null
  /** Times of the oldest and the newest memory of these runs, Unix milliseconds. */
  readonly windowStart: number | null
  readonly windowEnd: number | null
  /** Successes among the runs of which it is known how they ended, 0..1. */
  readonly successShare: number | null
  readonly failures: number
  readonly unknown: number
}

export function evidenceFigures({ traces, failures }: Workflow): EvidenceFigures {
  const successes = traces.filter(({ outcome }) => outcome.label === 'success')
  const times = successes.flatMap(({ trace }) => trace.memories.map(evidenceTime))
  const judged = successes.length + failures.length
  return {
    clusterSize: successes.length || null,
    distinctAgents: new Set(successes.map(({ trace }) => trace.agentId)).size || null,
    windowStart: times.length === 0 ? null : Math.min(...times),
    windowEnd: times.length === 0 ? null : Math.max(...times),
    successShare: judged === 0 ? null : successes.length / judged,
    failures: failures.length,
    unknown: traces.length - successes.length,
  }
}

/** Returns how many credentials wrote the memories of the runs that succeeded; all that nobody knows are one. */
export function distinctCredentials({ traces }: Pick<Workflow, 'traces'>): number {
  const successes = traces.filter(({ outcome }) => outcome.label === 'success')
  return new Set(successes.flatMap(({ trace }) => trace.memories.map(({ credential }) => credential ?? null))).size
}

/** Age in days at which evidence counts half. */
const HALF_LIFE_DAYS = 7

/** Returns what clusters are ranked by: successes × distinct agents × recency. */
export function evidenceWeight(figures: EvidenceFigures, { now }: Window): number {
  const { clusterSize, distinctAgents, windowEnd } = figures
  if (clusterSize === null || distinctAgents === null || windowEnd === null) return 0
  return clusterSize * distinctAgents * 0.5 ** ((now - windowEnd) / DAY_MS / HALF_LIFE_DAYS)
}

/** Returns the ids in the order of evidence, each once. */
export function citesOf(memories: Iterable<ForgeMemory>): string[] {
  const distinct = new Map([...memories].map((memory) => [memory.id, memory]))
  return [...distinct.values()]
    .sort((a, b) => evidenceTime(a) - evidenceTime(b) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}
