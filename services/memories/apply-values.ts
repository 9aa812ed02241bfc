import type { Memory } from '../../domain/memory-fields.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { contentHash, textHash } from '../../domain/memory-draft.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import { audit, type AuditEvent } from '../../store/audit.js'
import { type InferredLink, replaceInferredLinks } from '../../store/enrichment/inferred-links.js'
import { removeUnusedVectors } from '../../store/unused.js'
import { removeFoundLinks } from '../../store/indexing/found-links.js'
import { updateLinkAudiences } from '../../store/memories/audience.js'
import {
  type DerivedValues,
  moveCount,
  replaceLinks,
  type RowChange,
  updateMemory,
} from '../../store/memories/change-memory.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { findDuplicates, type NewMemory } from '../../store/memories/insert-memories.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { Writer } from '../../store/store.js'
import { taintSkills } from '../skills/taint.js'
import { differingFields } from './memory-change.js'
import { supersede, type SupersedeOptions } from './supersede.js'

/** New values of a memory: a caller's, or what a model found. Absent ones stay. */
export interface MemoryValues {
  readonly fields: Partial<Memory>
  readonly derived: DerivedValues
  /** Replaces all links of callers. */
  readonly links?: NewMemory['links'] | undefined
  /** Replaces all links that were inferred. */
  readonly inferredLinks?: readonly InferredLink[] | undefined
}

/** Says how a change of a caller differs from what the service fills in. */
interface Applying {
  /** A caller's change makes a version in any case; a fill one that callers do not see, and only when a field differs. */
  readonly by: 'caller' | 'service'
  readonly at: Date
  readonly events: readonly AuditEvent[]
  /** Set when the memory now claims something else: who may supersede what it contradicts. */
  readonly claiming: SupersedeOptions | null
  /** True when a language model shall read the memory. */
  readonly enriches: boolean
}

/**
 * Gives a memory, whose row is locked, new values: its row, counters, links, vectors, audit, contradicted memories and
 * index_pending rows. A live memory with the new text that has expired becomes outdated; returns false, and changes
 * nothing else, when there is another one.
 */
export async function applyValues(writer: Writer, row: Memory, values: MemoryValues, how: Applying): Promise<boolean> {
  const changed = differingFields(row, values.fields)
  const counts = how.by === 'caller' ? 'change' : Object.keys(changed).length > 0 ? 'fill' : null
  if (!(await update(writer, row, { fields: changed, derived: values.derived, counts, at: how.at }))) return false
  await moveCount(writer, row, changed)
  if (values.links) await replaceLinks(writer, row.id, values.links)
  const isRelinked = !!values.inferredLinks && (await replaceInferredLinks(writer, row.id, values.inferredLinks))
  if (changed.visibility || changed.status) await updateLinkAudiences(writer, [row.id])
  const after = { ...row, ...changed }
  const [former, text] = [embeddedText(row), embeddedText(after)]
  if (text !== former) await removeUnusedVectors(writer, [textHash(row)])
  // Whoever sees the new text may never have seen the former one. The indexing job finds the names of the new one.
  if (!text.includes(former)) await removeFoundLinks(writer, row.id)
  await audit(writer, how.at, how.events)
  if (how.claiming) await supersede(writer, [{ ...after, supersedesId: null }], how.claiming)
  if (counts !== null || isRelinked) await enqueue(writer, 'memory', [row.id])
  if (how.enriches) await enqueue(writer, 'enrich', [row.id])
  if (changesEvidence(changed)) await taintSkills(writer, [row.id], 'changed', how.at)
  return true
}

/** Returns whether a memory says something else now, to others, or no longer stands: skills that cite it are reviewed. */
function changesEvidence({ content, visibility, status }: Partial<Memory>): boolean {
  return content !== undefined || visibility !== undefined || status === 'cancelled'
}

/** Updates the row; where an expired memory has its new text, marks that one outdated and tries again. */
async function update(writer: Writer, row: Memory, change: RowChange): Promise<boolean> {
  if (await updateMemory(writer, row, change)) return true
  const { at, fields } = change
  const duplicate = await findDuplicate(writer, row, fields.content)
  if (duplicate?.expiresAt && duplicate.expiresAt <= at)
    await changeStatus(writer, [duplicate.id], { from: LIVE_STATUSES, to: 'outdated', at, details: EXPIRED })
  return updateMemory(writer, row, change)
}

const EXPIRED = { reason: 'expired' }

/** Returns the live memory that has the text which this one shall have. */
export async function findDuplicate(
  writer: Writer,
  row: Memory,
  content = row.content,
): Promise<{ id: string; expiresAt: Date | null } | undefined> {
  const key = { contentHash: contentHash(content), fleetId: row.fleetId, agentId: row.agentId }
  return (await findDuplicates(writer, [key])).values().next().value
}
