import { authorTrust } from '../../domain/enrichment/author-trust.js'
import { fillEmptyFields, type FilledMemory } from '../../domain/enrichment/fill.js'
import { isEmptyInference, type Inference } from '../../domain/enrichment/inference.js'
import { coversText } from '../../domain/enrichment/read-text.js'
import type { EnrichmentRecord } from '../../domain/enrichment/record.js'
import type { GivenMember, NameOf } from '../../domain/memory-fields.js'
import { type PiiPolicy, type PiiRecord, screenPersonalData } from '../../domain/personal-data/screen.js'
import { nameKey } from '../../domain/text/memory-text.js'
import type { AuditEvent } from '../../store/audit.js'
import { readAuthors } from '../../store/enrichment/authors.js'
import {
  type ConflictCandidate,
  type EnrichedMemory,
  lockForEnrichment,
} from '../../store/enrichment/enrichment-rows.js'
import type { InferredLink } from '../../store/enrichment/inferred-links.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { applyValues } from '../memories/apply-values.js'
import { type StatedMemory, supersedeConflicting } from '../memories/supersede.js'

/** Result of reading one text. */
export interface Enrichment {
  readonly memoryId: string
  /** `textKey` of the text that was read. */
  readonly text: string
  readonly model: string
  readonly prompt: number
  /** Policy that the inference was screened with. */
  readonly policy: PiiPolicy
  /** Null when the model returned no usable answer. */
  readonly inference: Inference | null
  /** Ids of the inferred entities, by name key. */
  readonly entityIds: ReadonlyMap<string, string>
  /** Memories that the judge found in conflict with it, as it read them. */
  readonly conflicts: readonly ConflictCandidate[]
}

/**
 * Saves an enrichment: fills the fields that callers left empty, after locking and reading the memory again. A value
 * that a caller has set meanwhile stays. Does nothing when the text has changed, the memory is gone, or the settings it
 * was read with have changed. Columns, links, counters, supersessions by the triple, audit and index_pending rows are
 * written in one transaction. A change of columns increments the row's version, so that no stale copy survives, but not
 * the version that callers see. Returns the resulting state, or null when nothing was done.
 */
export async function saveEnrichment(
  writer: Writer,
  enrichment: Enrichment,
  at: Date,
): Promise<EnrichmentRecord['state'] | null> {
  const settings = await readSettings(writer)
  if (!settings.enrichment.enabled || settings.memory.pii_policy !== enrichment.policy) return null
  const locked = await lockForEnrichment(writer, [enrichment.memoryId, ...enrichment.conflicts.map(({ id }) => id)])
  const row = locked.get(enrichment.memoryId)
  if (!row || !coversText(enrichment.text, row)) return null
  const { inference, entityIds } = enrichment
  const filled = fillEmptyFields(row, inference, (name) => entityIds.get(nameKey(name)) ?? null)
  const record = recordOf(enrichment, filled, at)
  const inferredLinks = linksOf(enrichment)
  const others = unchangedConflicts(enrichment, locked)
  const isClaim = record.inferred.includes('predicate')
  const trust = isClaim || others.length > 0 ? authorTrust(await readAuthors(writer, row, AUTHORED_FIELDS)) : 1
  const tags = inference?.tags ?? []
  await applyValues(
    writer,
    row,
    {
      fields: filled.fields,
      derived: { enrichment: record, tags: tags.length > 0 ? tags : null, pii: piiOf(row, filled) },
      inferredLinks,
    },
    {
      by: 'service',
      at,
      events: record.state === 'done' ? [eventOf(row, record, { tags: tags.length, links: inferredLinks.length })] : [],
      claiming: isClaim ? { trust, settings, now: at } : null,
      enriches: false,
    },
  )
  const stated = { ...row, ...filled.fields, supersedesId: null }
  if (others.length > 0) await supersedeConflicting(writer, trust, stated, { others, now: at })
  return record.state
}

/** Fields in `memory.updated` that change what a memory states, when it is valid and who sees it. */
const AUTHORED_FIELDS = [
  'content',
  'title',
  'ts_valid_start',
  'ts_valid_end',
  'visibility',
] satisfies NameOf<GivenMember>[]

/** Returns the conflicting memories that still have the text that the judge read. */
function unchangedConflicts({ conflicts }: Enrichment, locked: ReadonlyMap<string, EnrichedMemory>): StatedMemory[] {
  return conflicts.flatMap(({ id, content }) => {
    const other = locked.get(id)
    return other?.content === content ? [{ ...other, supersedesId: null }] : []
  })
}

function linksOf({ inference, entityIds }: Enrichment): InferredLink[] {
  return (inference?.entities ?? []).flatMap(({ name, type, role }) => {
    const entityId = entityIds.get(nameKey(name))
    return entityId === undefined ? [] : [{ entityId, name, type, role }]
  })
}

function recordOf({ inference, text, model, prompt }: Enrichment, filled: FilledMemory, at: Date): EnrichmentRecord {
  return {
    state: inference === null ? 'failed' : isEmptyInference(inference) ? 'abstained' : 'done',
    model,
    prompt,
    text,
    at: at.toISOString(),
    inferred: filled.inferred,
    ...(filled.title !== null && { title: filled.title }),
  }
}

function eventOf(
  row: EnrichedMemory,
  { state, inferred, model }: EnrichmentRecord,
  counts: { readonly tags: number; readonly links: number },
): AuditEvent {
  const details = { state, fields: inferred, ...counts, model }
  return { action: 'memory.enriched', subject: { kind: 'memory', id: row.id }, details }
}

/** Keeps the findings of `system_metadata.pii` for the caller's fields, and adds those of the filled fields. */
function piiOf(row: EnrichedMemory, { title, fields: { objectValue }, inferred }: FilledMemory): PiiRecord | null {
  const known = (row.systemMetadata.pii as PiiRecord | undefined) ?? null
  const fields = {
    ...(row.title === null && { title }),
    ...((inferred.includes('object_value') || row.objectValue === null) && { objectValue }),
  }
  return screenPersonalData(fields, 'flag', known).pii
}
