import { isLive } from '../life/status-moves.js'
import type { Memory } from '../memory-fields.js'
import { DAY_MS } from '../text/time-reference.js'

/** The part of a memory that the Forge reads; `names` are those of the entities that it is linked to. */
export type ForgeMemory = Pick<
  Memory,
  | 'id'
  | 'fleetId'
  | 'agentId'
  | 'runId'
  | 'title'
  | 'content'
  | 'memoryType'
  | 'status'
  | 'visibility'
  | 'createdAt'
  | 'validStart'
  | 'expiresAt'
> & {
  readonly names: readonly string[]
  /** Null where it is uncertain. */
  readonly language?: string | null
  readonly vector?: Float32Array | null
  /** Names the credential that wrote the text; null or absent where nobody knows. */
  readonly credential?: string | null
}

/** Whose skill a trace may become: one fleet's, or with null everybody's in the tenant. */
export interface Part {
  readonly fleetId: string | null
}

/** Instants in Unix milliseconds; `from` is excluded. */
export interface Window {
  readonly from: number
  readonly now: number
}

/** The memories that one agent stored in one run, oldest first. */
export interface Trace {
  /** Distinguishes the traces of a tenant; equal at every tick. */
  readonly key: string
  readonly part: Part
  readonly runId: string
  readonly agentId: string
  readonly memories: readonly ForgeMemory[]
  /** All that the agent stored in the run, copies of what it was told included: the run's outcome is read from these. */
  readonly stored: readonly ForgeMemory[]
  /** Ids of memories whose text older runs have too. */
  readonly repeated: ReadonlySet<string>
}

/** Returns the window of a tick at `now`. */
export function freshnessWindow(now: number, days: number): Window {
  return { from: now - days * DAY_MS, now }
}

/** Returns the time of what a memory is evidence for. */
export function evidenceTime({ validStart, createdAt }: Pick<ForgeMemory, 'validStart' | 'createdAt'>): number {
  return (validStart ?? createdAt).getTime()
}

/**
 * Returns whether a memory may be evidence for a skill of the part. A fleet's skill takes what its whole fleet sees, one
 * of the tenant what the whole tenant sees; `scope_agent` never enters, nor does what is deleted, cancelled, conflicted,
 * superseded, expired, outside of the window, or of no run or no agent.
 */
export function mayEnter(memory: ForgeMemory, part: Part, window: Window): boolean {
  if (memory.runId === null || memory.agentId === null || !isLive(memory.status)) return false
  if (memory.expiresAt !== null && memory.expiresAt.getTime() <= window.now) return false
  const at = evidenceTime(memory)
  if (at <= window.from || at > window.now) return false
  return isSeenByAllOf(memory, part)
}

function isSeenByAllOf({ visibility, fleetId }: ForgeMemory, part: Part): boolean {
  switch (visibility) {
    case 'scope_agent':
      return false
    case 'scope_team':
      return fleetId === part.fleetId
    case 'scope_org':
      return part.fleetId === null || fleetId === part.fleetId
  }
}

/**
 * Returns the traces in memories of one tenant, ordered by key, whatever the order of the memories. A run's memories for
 * everybody belong to the tenant's part; if one of them is only for its fleet, all of them belong to the fleet's, so that
 * a skill has the strictest scope of its sources.
 */
export function tracesOf(memories: Iterable<ForgeMemory>, window: Window): Trace[] {
  const groups = new Map<string, ForgeMemory[]>()
  for (const memory of memories) {
    if (!mayEnter(memory, { fleetId: memory.fleetId }, window)) continue
    const key = JSON.stringify([memory.fleetId, memory.runId, memory.agentId])
    const group = groups.get(key)
    if (group) group.push(memory)
    else groups.set(key, [memory])
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => ({
      key,
      part: partOf(group),
      runId: group[0]!.runId!,
      agentId: group[0]!.agentId!,
      memories: group.sort(inOrder),
      stored: group,
      repeated: new Set(),
    }))
}

function partOf(memories: readonly ForgeMemory[]): Part {
  return { fleetId: memories.every(({ visibility }) => visibility === 'scope_org') ? null : memories[0]!.fleetId }
}

/** Orders memories of a run as they happened. */
export function inOrder(a: ForgeMemory, b: ForgeMemory): number {
  return (
    evidenceTime(a) - evidenceTime(b) ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}
