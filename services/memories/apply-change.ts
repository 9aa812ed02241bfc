import type { Principal } from '../../domain/principal.js'
import { callerMayMove, isLive } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { contentHash, type DraftFault, entitiesNamedIn, faultsOf, storedType } from '../../domain/memory-draft.js'
import { memberNamed } from '../../domain/memory-fields.js'
import { type PiiRecord, screenYielding } from '../../domain/personal-data/screen.js'
import {
  type EnrichmentRecord,
  enrichmentOf,
  inferencesToRemove,
  coversText,
  withoutInferences,
} from '../../domain/enrichment/record.js'
import { audienceOf } from '../../domain/visibility.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { createYielder } from '../../runtime/yielder.js'
import { audit, type AuditEvent } from '../../store/audit.js'
import { readSpellings } from '../../store/entities.js'
import { changeMemory, type MemoryColumns } from '../../store/memories/change-memory.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { supersede, type SupersedeOptions } from '../../store/memories/supersede.js'
import { findDuplicates } from '../../store/memories/insert-memories.js'
import { findMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { differingFields, isSameValue, linksDiffer } from './differing-fields.js'
import { refusalOf } from './draft-faults.js'
import { linkEntities } from './link-entities.js'
import { changedFieldsOf, type MemoryChange } from './memory-change.js'

/** Who changes a memory, and when. */
export interface ChangeContext {
  readonly principal: Principal
  readonly now: Date
  /** True when a changed text is enqueued for the language model. */
  readonly enriches: boolean
  readonly signal: AbortSignal
}

/**
 * Changes a memory whose row the caller has locked and may change. Fields that already have the given value are no change; when nothing
 * changes, no version and no event is written. Values that the service inferred are cleared when the text changes or when the caller
 * gives them. Throws InvalidArgumentsError when the changed memory would break a rule, NotFoundError for an unknown entity, and
 * ConflictError for a change of status that is not allowed and for a text that another live memory has.
 */
export async function applyChange(
  writer: Writer,
  { principal, now, enriches, signal }: ChangeContext,
  row: MemoryRow,
  requested: MemoryChange,
): Promise<void> {
  const { given, enrichment } = withInferencesCleared(row, requested)
  const known = (row.systemMetadata.pii as PiiRecord | undefined) ?? null
  const settings = await readSettings(writer)
  const { pii_policy: policy } = settings.memory
  const { fields: screened, faults, pii } = await screenYielding(given, policy, createYielder({ signal }), known)
  const { links: givenLinks, ...change } = differingFields(row, screened)
  const move = change.status ?? null
  if (move && !callerMayMove(row.status, move)) throw statusMoveConflict(row.status, move)
  const named = { ...change, ...(givenLinks && { links: givenLinks }) }
  const refusal = refusalOf([...faults, ...faultsWith(row, named, now)])
  if (refusal) throw refusal
  const spellings = await requireKnownEntities(writer, principal, named)

  const { memoryType, ...columns } = change
  const [links] = givenLinks ? await linkEntities(writer, [givenLinks], spellings) : []
  const changed: MemoryColumns = {
    ...columns,
    ...(memoryType !== undefined && { memoryType: storedType(memoryType), typeGiven: memoryType !== null }),
    ...(enrichment !== undefined && { enrichment }),
    ...(!isSameValue(pii, known) && { pii }),
    ...(links && linksDiffer(row, links) && { links }),
  }
  if (Object.keys(changed).length === 0) return
  if (!(await changeMemory(writer, row, changed, now)))
    await replaceExpiredDuplicate(writer, principal, row, changed, now)
  if (enriches && settings.enrichment.enabled && ('content' in change || enrichment === null || move !== null))
    await enqueue(writer, 'enrich', [row.id])
  await audit(writer, now, eventsOf(row, changed))
  await resolveContradictions(writer, { ...row, ...columns, status: move ?? row.status }, change, {
    trust: principal.trust,
    settings,
    now,
  })
}

/**
 * Returns the change extended by the inferred values that it clears, and the enrichment record without them: null when the text changed,
 * undefined when the record stays as it is.
 */
function withInferencesCleared(
  row: MemoryRow,
  requested: MemoryChange,
): { given: MemoryChange; enrichment: EnrichmentRecord | null | undefined } {
  const record = enrichmentOf(row.systemMetadata)
  const { content = row.content, title = row.title } = requested
  const isOtherText = record !== null && !coversText(record.text, { content, title })
  const leaving = inferencesToRemove(record, { text: isOtherText, fields: changedFieldsOf(requested) })
  const cleared: MemoryChange = Object.fromEntries(leaving.map((field) => [memberNamed(field), null]))
  const left = leaving.length > 0 ? withoutInferences(record!, leaving) : undefined
  return { given: { ...cleared, ...requested }, enrichment: isOtherText ? null : left }
}

export function statusMoveConflict(from: string, to: string): ConflictError {
  return new ConflictError(`A memory that is ${from} cannot become ${to}.`, { details: { from, to } })
}

/** Returns the rules that the memory would break as changed. An expiry that does not change may lie in the past. */
function faultsWith(row: MemoryRow, change: MemoryChange, now: Date): DraftFault[] {
  const merged = { ...row, links: [], supersedesId: null, ...change, expiresAt: change.expiresAt ?? null }
  return faultsOf({ ...merged, status: 'active' }, row, now)
}

/** Returns the names of the entities that the change names by id, in the spelling that the caller sees. Throws NotFoundError. */
async function requireKnownEntities(
  writer: Writer,
  principal: Principal,
  change: MemoryChange,
): Promise<Map<string, string>> {
  const ids = [...new Set(entitiesNamedIn(change))]
  const spellings = await readSpellings(writer, ids, audienceOf(principal, 'all'))
  if (ids.some((id) => !spellings.has(id))) throw new NotFoundError('Entity')
  return spellings
}

/**
 * Changes a memory whose text another live memory has. If that one has expired, marks it outdated and retries the change. Throws
 * ConflictError if not.
 */
async function replaceExpiredDuplicate(
  writer: Writer,
  principal: Principal,
  row: MemoryRow,
  changed: MemoryColumns,
  now: Date,
): Promise<void> {
  const keys = { contentHash: contentHash(changed.content ?? row.content), fleetId: row.fleetId, agentId: row.agentId }
  const [duplicate] = (await findDuplicates(writer, [keys])).values()
  if (duplicate?.expiresAt && duplicate.expiresAt <= now)
    await changeStatus(writer, [duplicate.id], { from: LIVE_STATUSES, to: 'outdated', at: now, details: EXPIRED })
  if (await changeMemory(writer, row, changed, now)) return
  // An operator may change the memory of an author who has this text in a private one, which must not be named.
  const [shown] = await findMemories(writer, audienceOf(principal, 'all'), duplicate ? [duplicate.id] : [])
  const details = shown && { existing_id: shown.id }
  throw new ConflictError('A live memory with this text exists already.', { details })
}

const EXPIRED = { reason: 'expired' }

function eventsOf(row: MemoryRow, changed: MemoryColumns): AuditEvent[] {
  const subject = { kind: 'memory', id: row.id } as const
  const version = row.version + 1
  const { status: to } = changed
  const fields = changedFieldsOf(changed)
  return [
    ...(to ? [{ action: 'memory.status_changed' as const, subject, details: { from: row.status, to, version } }] : []),
    ...(fields.length > 0 ? [{ action: 'memory.updated' as const, subject, details: { fields, version } }] : []),
  ]
}

/** Members that say what a memory claims, while it is valid and who sees it. */
const CLAIM_MEMBERS = [
  ...(['subjectEntityId', 'predicate', 'objectValue'] as const),
  ...(['validStart', 'validEnd', 'expiresAt', 'visibility', 'status'] as const),
] satisfies (keyof MemoryChange)[]

/** Supersedes, or marks as conflicted, the memories that the changed one contradicts, if the change affects what it claims. */
async function resolveContradictions(
  writer: Writer,
  row: MemoryRow,
  change: MemoryChange,
  superseding: SupersedeOptions,
): Promise<void> {
  if (!isLive(row.status) || !CLAIM_MEMBERS.some((member) => member in change)) return
  await supersede(writer, [{ ...row, supersedesId: null }], superseding)
}
