import {
  type Claim,
  type Displacement,
  displacementsOf,
  isSingleValued,
  predicateKey,
} from '../../domain/life/contradictions.js'
import { isLive, STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES, type MemoryStatus } from '../../domain/memory.js'
import type { Trust } from '../../domain/trust.js'
import type { Visibility } from '../../domain/visibility.js'
import type { Writer } from '../store.js'
import { changeStatus } from './change-status.js'
import { readClaims, recordSupersessions, type Supersession } from './supersessions.js'

/** What a stored memory claims, and which row it was written to take the place of. */
export interface StatedMemory {
  readonly id: string
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: Visibility
  readonly status: MemoryStatus
  readonly subjectEntityId: string | null
  readonly predicate: string | null
  readonly objectValue: string | null
  readonly validStart: Date | null
  readonly validEnd: Date | null
  readonly createdAt: Date
  readonly supersedesId: string | null
}

/**
 * Puts behind what these memories, stored in this transaction, take the place of: rows that they name, which the caller has
 * locked and found permitted, and rows that their claims contradict (decisions.md §3).
 */
export async function displace(
  writer: Writer,
  trust: Trust,
  memories: readonly StatedMemory[],
  now: Date,
): Promise<void> {
  await supersede(writer, memories, now)
  const claims = memories.flatMap((memory) => claimOf(memory) ?? [])
  if (claims.length === 0) return
  const except = claims.map(({ memoryId }) => memoryId)
  const standing = await readClaims(writer, claims, { except, now })
  await settleContradictions(writer, displacementsOf(claims, standing, trust), now)
}

async function supersede(writer: Writer, memories: readonly StatedMemory[], now: Date): Promise<void> {
  const explicit = memories.flatMap(({ id, supersedesId }) =>
    supersedesId === null ? [] : [{ oldId: supersedesId, newId: id }],
  )
  if (explicit.length === 0) return
  await changeStatus(
    writer,
    explicit.map(({ oldId }) => oldId),
    { from: STANDING_STATUSES, to: 'outdated', at: now, details: { reason: 'explicit' } },
  )
  const supersessions: Supersession[] = explicit.map((one) => ({
    ...one,
    reason: 'explicit',
    direction: 'canonical',
    oldStatus: 'outdated',
  }))
  await recordSupersessions(writer, supersessions, now)
}

async function settleContradictions(writer: Writer, found: readonly Displacement[], now: Date): Promise<void> {
  const details = { reason: 'rdf_conflict' }
  const outdated = found.filter(({ oldStatus }) => oldStatus === 'outdated')
  const conflicted = found.filter(({ oldStatus }) => oldStatus === 'conflicted')
  const ids = unique(outdated.map(({ oldId }) => oldId))
  const moved = new Set(await changeStatus(writer, ids, { from: STANDING_STATUSES, to: 'outdated', at: now, details }))
  await changeStatus(writer, unique(conflicted.flatMap(({ oldId, newId }) => [oldId, newId])), {
    from: LIVE_STATUSES,
    to: 'conflicted',
    at: now,
    details,
  })
  // A row that another transaction has moved away meanwhile was displaced by nobody here.
  const settled = [...outdated.filter(({ oldId }) => moved.has(oldId)), ...conflicted]
  await recordSupersessions(
    writer,
    settled.map((one) => ({ ...one, reason: 'rdf_conflict' })),
    now,
  )
}

/** Null for a memory that claims nothing of which there is but one at a time. */
function claimOf(memory: StatedMemory): Claim | null {
  const { subjectEntityId, predicate, objectValue } = memory
  if (subjectEntityId === null || predicate === null || objectValue === null || !isLive(memory.status)) return null
  const key = predicateKey(predicate)
  if (!isSingleValued(key)) return null
  return {
    memoryId: memory.id,
    subjectId: subjectEntityId,
    predicateKey: key,
    object: objectValue,
    agentId: memory.agentId,
    fleetId: memory.fleetId,
    visibility: memory.visibility,
    validStart: memory.validStart?.getTime() ?? null,
    validEnd: memory.validEnd?.getTime() ?? null,
    at: (memory.validStart ?? memory.createdAt).getTime(),
  }
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}
