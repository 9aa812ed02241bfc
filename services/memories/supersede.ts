import {
  type Statement,
  type SupersessionPlan,
  planSupersessions,
  predicateKey,
  singleValuedBy,
  mayConflict,
} from '../../domain/life/contradictions.js'
import { isLive, STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import type { Memory } from '../../domain/memory-fields.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { Trust } from '../../domain/trust.js'
import type { Writer } from '../../store/store.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { findLive, readClaims, recordSupersessions, type Supersession } from '../../store/memories/supersessions.js'

/** The claim of a stored memory, and the row that it was written to supersede. */
export interface StatedMemory extends Pick<Memory, ClaimMember> {
  readonly supersedesId: string | null
}

type ClaimMember =
  | ('id' | 'agentId' | 'fleetId' | 'visibility' | 'status')
  | ('subjectEntityId' | 'predicate' | 'objectValue' | 'validStart' | 'validEnd' | 'createdAt')

/** Authority, settings and time of a supersession. */
export interface SupersedeOptions {
  readonly trust: Trust
  readonly settings: Settings
  readonly now: Date
}

/**
 * Supersedes the rows that these memories, stored in this transaction, replace: rows that they name, which the caller
 * has locked and found permitted, and rows that their claims contradict.
 */
export async function supersede(
  writer: Writer,
  memories: readonly StatedMemory[],
  { trust, settings, now }: SupersedeOptions,
): Promise<void> {
  await supersedeNamed(writer, memories, now)
  const stating = memories.filter(({ predicate }) => predicate !== null)
  if (stating.length === 0) return
  const isSingleValued = singleValuedBy(settings.memory.single_valued_predicates)
  const claims = stating.flatMap((memory) => claimOf(memory, isSingleValued) ?? [])
  if (claims.length === 0) return
  const except = claims.map(({ memoryId }) => memoryId)
  const standing = await readClaims(writer, claims, { except, now })
  await applySupersessions(writer, planSupersessions(claims, standing, trust), { reason: 'rdf_conflict', now })
}

async function supersedeNamed(writer: Writer, memories: readonly StatedMemory[], now: Date): Promise<void> {
  const explicit = memories.flatMap(({ id, supersedesId }) =>
    supersedesId === null ? [] : [{ oldId: supersedesId, newId: id }],
  )
  if (explicit.length === 0) return
  await changeStatus(
    writer,
    explicit.map(({ oldId }) => oldId),
    { from: STANDING_STATUSES, to: 'outdated', at: now, isSupersession: true, details: { reason: 'explicit' } },
  )
  const supersessions: Supersession[] = explicit.map((one) => ({
    ...one,
    reason: 'explicit',
    direction: 'canonical',
    oldStatus: 'outdated',
  }))
  await recordSupersessions(writer, supersessions, now)
}

/**
 * Supersedes between a memory, stored in this transaction, and others that it conflicts with and that the caller has
 * locked, in either direction, as far as they are live and have the same audience and an overlapping time.
 */
export async function supersedeConflicting(
  writer: Writer,
  trust: Trust,
  memory: StatedMemory,
  { others, now }: { readonly others: readonly StatedMemory[]; readonly now: Date },
): Promise<void> {
  const standing = await findLive(writer, unique([memory, ...others].map(({ id }) => id)))
  if (!standing.has(memory.id)) return
  const claims = others.filter(({ id }) => standing.has(id)).map(statementOf)
  const found = planSupersessions([statementOf(memory)], claims, trust, mayConflict)
  await applySupersessions(writer, found, { reason: 'semantic_conflict', now })
}

/** Returns a claim without its statement: only who and when the memory is about. */
function statementOf(memory: StatedMemory): Statement {
  return { ...claimContextOf(memory), subjectId: '', predicateKey: '', object: '' }
}

async function applySupersessions(
  writer: Writer,
  found: readonly SupersessionPlan[],
  { reason, now }: { readonly reason: 'rdf_conflict' | 'semantic_conflict'; readonly now: Date },
): Promise<void> {
  const details = { reason }
  const outdated = found.filter(({ oldStatus }) => oldStatus === 'outdated')
  const conflicted = found.filter(({ oldStatus }) => oldStatus === 'conflicted')
  const ids = unique(outdated.map(({ oldId }) => oldId))
  const move = { from: STANDING_STATUSES, to: 'outdated', at: now, isSupersession: true, details } as const
  const moved = new Set(await changeStatus(writer, ids, move))
  await changeStatus(writer, unique(conflicted.flatMap(({ oldId, newId }) => [oldId, newId])), {
    from: LIVE_STATUSES,
    to: 'conflicted',
    at: now,
    details,
  })
  // A row that another transaction has moved meanwhile was not superseded here.
  const settled = [...outdated.filter(({ oldId }) => moved.has(oldId)), ...conflicted]
  await recordSupersessions(
    writer,
    settled.map((one) => ({ ...one, reason })),
    now,
  )
}

/** Returns null for a memory without a claim on a single-valued predicate. */
function claimOf(memory: StatedMemory, isSingleValued: (key: string) => boolean): Statement | null {
  const { subjectEntityId, predicate, objectValue } = memory
  if (subjectEntityId === null || predicate === null || objectValue === null || !isLive(memory.status)) return null
  const key = predicateKey(predicate)
  if (!isSingleValued(key)) return null
  return { ...claimContextOf(memory), subjectId: subjectEntityId, predicateKey: key, object: objectValue }
}

function claimContextOf(memory: StatedMemory): Omit<Statement, 'subjectId' | 'predicateKey' | 'object'> {
  return {
    memoryId: memory.id,
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
