import type { Principal } from '../../domain/principal.js'
import { callerMayMove, isLive } from '../../domain/life/status-moves.js'
import { type DraftFault, entitiesNamedIn, faultsOf, storedType, type Triple } from '../../domain/memory-draft.js'
import { memberNamed } from '../../domain/memory-fields.js'
import { type PiiRecord, screenInSteps } from '../../domain/personal-data/screen.js'
import { coversText } from '../../domain/enrichment/read-text.js'
import {
  type EnrichmentRecord,
  enrichmentOf,
  inferencesToRemove,
  withoutInferences,
} from '../../domain/enrichment/record.js'
import { audienceOf } from '../../domain/visibility.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { Slices } from '../../runtime/slices.js'
import type { AuditEvent } from '../../store/audit.js'
import { readSpellings } from '../../store/entities.js'
import { findLanguages } from '../../store/memories/find-languages.js'
import { findMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { applyValues, findDuplicate, type MemoryValues } from './apply-values.js'
import { refusalOf } from './draft-faults.js'
import { linkEntities, subjectIdOf } from './link-entities.js'
import type { TenantLanguages } from './tenant-languages.js'
import { type MemoryChange, namesOf, callersLinks, differingChange, isSameValue, linksDiffer } from './memory-change.js'

/** Who changes a memory, and when. */
export interface ChangeContext {
  readonly principal: Principal
  readonly now: Date
  /** True when a changed text is enqueued for the language model. */
  readonly enriches: boolean
  readonly tenantLanguages: TenantLanguages
  /** The version whose values the change gives again, for the audit. */
  readonly restoredVersion?: number | undefined
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
  { principal, now, enriches, tenantLanguages, restoredVersion, signal }: ChangeContext,
  row: MemoryRow,
  requested: MemoryChange,
): Promise<void> {
  const withLanguage = await withLanguageFound(writer, tenantLanguages, row, requested)
  const { given, enrichment } = withInferencesCleared(row, withLanguage)
  const known = (row.systemMetadata.pii as PiiRecord | undefined) ?? null
  const settings = await readSettings(writer)
  const { pii_policy: policy } = settings.memory
  const { fields: screened, faults, pii } = await new Slices({ signal }).run(screenInSteps(given, policy, known))
  const { links: givenLinks, ...change } = differingChange(row, screened)
  const move = change.status ?? null
  if (move && !callerMayMove(row.status, move)) throw statusMoveConflict(row.status, move)
  const named = { ...change, ...(givenLinks && { links: givenLinks }) }
  const refusal = refusalOf([...faults, ...faultsWith(row, named, now)])
  if (refusal) throw refusal
  const spellings = await requireKnownEntities(writer, principal, named)

  const [links] = givenLinks ? await linkEntities(writer, [givenLinks], spellings) : []
  const isNamed = changesTriple(named) && change.subjectEntityId === undefined
  const subject = isNamed ? subjectIdOf(changedTriple(row, named), links ?? callersLinks(row)) : null
  if (subject !== null && subject !== row.subjectEntityId) change.subjectEntityId = subject
  const changed: MemoryValues = {
    fields: storedFields(change),
    derived: {
      ...(enrichment !== undefined && { enrichment }),
      ...(enrichment === null && { tags: null }),
      ...(!isSameValue(pii, known) && { pii }),
    },
    links: links && linksDiffer(row, links) ? links : undefined,
    inferredLinks: enrichment === null ? [] : undefined,
  }
  if (isNothing(changed)) return
  const isUnread = 'content' in change || enrichment === null || move !== null
  const isApplied = await applyValues(writer, row, changed, {
    by: 'caller',
    at: now,
    events: eventsOf(row, changed, restoredVersion),
    claiming: isOtherClaim(row, change) ? { trust: principal.trust, settings, now } : null,
    enriches: enriches && settings.enrichment.enabled && isUnread,
  })
  if (!isApplied) throw await duplicateConflict(writer, principal, row, changed)
}

/** Returns the change with the language of another content, where a change names none. An uncertain one leaves that of the former content. */
async function withLanguageFound(
  writer: Writer,
  tenantLanguages: TenantLanguages,
  row: MemoryRow,
  requested: MemoryChange,
): Promise<MemoryChange> {
  const { content = row.content, language, runId = row.runId } = requested
  if (language != null || (language === undefined && content === row.content)) return requested
  const text = { content, runId, agentId: row.agentId }
  const [found] = await findLanguages(writer, [text], await tenantLanguages.of(writer))
  return { ...requested, language: found ?? (language === null ? null : row.language) }
}

function storedFields({ memoryType, ...fields }: MemoryChange): MemoryValues['fields'] {
  if (memoryType === undefined) return fields
  return { ...fields, memoryType: storedType(memoryType), typeGiven: memoryType !== null }
}

/** Members that say what a memory claims, while it is valid and who sees it. */
const CLAIM_MEMBERS = [
  ...(['subjectEntityId', 'predicate', 'objectValue'] as const),
  ...(['validStart', 'validEnd', 'expiresAt', 'visibility', 'status'] as const),
] satisfies (keyof MemoryChange)[]

function isOtherClaim(row: MemoryRow, change: MemoryChange): boolean {
  return isLive(change.status ?? row.status) && CLAIM_MEMBERS.some((member) => member in change)
}

function isNothing({ fields, derived, links }: MemoryValues): boolean {
  return Object.keys(fields).length === 0 && Object.keys(derived).length === 0 && links === undefined
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
  const leaving = inferencesToRemove(record, { text: isOtherText, fields: namesOf(requested) })
  const cleared: MemoryChange = Object.fromEntries(leaving.map((field) => [memberNamed(field), null]))
  const left = leaving.length > 0 ? withoutInferences(record!, leaving) : undefined
  return { given: { ...cleared, ...requested }, enrichment: isOtherText ? null : left }
}

export function statusMoveConflict(from: string, to: string): ConflictError {
  return new ConflictError(`A memory that is ${from} cannot become ${to}.`, { details: { from, to } })
}

/** Returns the rules that the memory would break as changed. An expiry that does not change may lie in the past. */
function faultsWith(row: MemoryRow, change: MemoryChange, now: Date): DraftFault[] {
  const links = changesTriple(change) ? changedTriple(row, change).links : []
  const merged = { ...row, supersedesId: null, ...change, links, expiresAt: change.expiresAt ?? null }
  return faultsOf({ ...merged, status: 'active' }, row, now)
}

function changesTriple(change: MemoryChange): boolean {
  return (['subjectEntityId', 'predicate', 'objectValue', 'links'] as const).some(
    (member) => change[member] !== undefined,
  )
}

function changedTriple(row: MemoryRow, change: MemoryChange): Triple {
  const links = callersLinks(row).map((link) => ({ ...link, name: null }))
  return { ...row, links, ...change }
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

async function duplicateConflict(
  writer: Writer,
  principal: Principal,
  row: MemoryRow,
  { fields }: MemoryValues,
): Promise<ConflictError> {
  const duplicate = await findDuplicate(writer, row, fields.content)
  // An operator may change the memory of an author who has this text in a private one, which must not be named.
  const [shown] = await findMemories(writer, audienceOf(principal, 'all'), duplicate ? [duplicate.id] : [])
  const details = shown && { existing_id: shown.id }
  return new ConflictError('A live memory with this text exists already.', { details })
}

function eventsOf(row: MemoryRow, changed: MemoryValues, restoredVersion: number | undefined): AuditEvent[] {
  const subject = { kind: 'memory', id: row.id } as const
  const made = { version: row.version + 1, ...(restoredVersion !== undefined && { restored_version: restoredVersion }) }
  const { status: to } = changed.fields
  const fields = changedNames(changed)
  return [
    ...(to ? [{ action: 'memory.status_changed' as const, subject, details: { from: row.status, to, ...made } }] : []),
    ...(fields.length > 0 ? [{ action: 'memory.updated' as const, subject, details: { fields, ...made } }] : []),
  ]
}

/** Returns the contract's names of what changes, without the status. */
function changedNames({ fields, derived, links }: MemoryValues): string[] {
  const names = namesOf({ ...fields, ...(links && { links: [] }) })
  return derived.pii !== undefined && names.length === 0 ? ['system_metadata'] : names
}
