import { sql } from 'kysely'
import { isEmptyInference, type Inference } from '../../domain/enrichment/inference.js'
import { type EnrichmentRecord, enrichmentOf, type InferredField, coversText } from '../../domain/enrichment/record.js'
import { predicateKey } from '../../domain/life/contradictions.js'
import { type PiiPolicy, type PiiRecord, screenPersonalData } from '../../domain/personal-data/screen.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { nameKey } from '../../domain/text/memory-text.js'
import type { Trust } from '../../domain/trust.js'
import { audit } from '../audit.js'
import { type ConflictCandidate, type EnrichedMemory, lockForEnrichment } from './enrichment-rows.js'
import { type InferredLink, replaceInferredLinks } from './inferred-links.js'
import { moveCount } from '../memories/change-memory.js'
import { supersede, supersedeConflicting, type StatedMemory } from '../memories/supersede.js'
import { enqueue } from '../outbox/outbox.js'
import type { Writer } from '../store.js'
import { readSettings } from '../tenants/settings.js'

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
  const patch = patchOf(row, enrichment)
  const record = recordOf(enrichment, patch, at)
  await updateRow(writer, row, patch, record, enrichment)
  await moveCount(writer, row, { memoryType: patch.memoryType })
  const relinked = await replaceInferredLinks(writer, row.id, patch.links)
  if (record.state === 'done') {
    const { id, state, inferred, tags } = { ...record, id: row.id, tags: enrichment.inference!.tags.length }
    const details = { state, fields: inferred, tags, links: patch.links.length, model: record.model }
    await audit(writer, at, [{ action: 'memory.enriched', subject: { kind: 'memory', id }, details }])
  }
  const others = unchangedConflicts(enrichment, locked)
  await supersedeContradicted(writer, { ...row, ...patch, supersedesId: null }, record, others, { settings, now: at })
  if (patch.isChanged || relinked) await enqueue(writer, 'memory', [row.id])
  return record.state
}

/** Returns the conflicting memories that still have the text that the judge read. */
function unchangedConflicts({ conflicts }: Enrichment, locked: ReadonlyMap<string, EnrichedMemory>): EnrichedMemory[] {
  return conflicts.flatMap(({ id, content }) => {
    const other = locked.get(id)
    return other?.content === content ? [other] : []
  })
}

/** Supersedes first by the triple, if it was inferred, then by the judge's verdicts. */
async function supersedeContradicted(
  writer: Writer,
  stated: StatedMemory,
  record: EnrichmentRecord,
  others: readonly EnrichedMemory[],
  { settings, now }: { readonly settings: Settings; readonly now: Date },
): Promise<void> {
  const isClaim = record.inferred.includes('predicate')
  if (!isClaim && others.length === 0) return
  const trust = await readAuthorTrust(writer, stated)
  if (isClaim) await supersede(writer, [stated], { trust, settings, now })
  const stating = others.map((other) => ({ ...other, supersedesId: null }))
  if (stating.length > 0) await supersedeConflicting(writer, trust, stated, { others: stating, now })
}

type FillableColumns = Pick<
  EnrichedMemory,
  'memoryType' | 'validStart' | 'validEnd' | 'subjectEntityId' | 'predicate' | 'objectValue'
>

interface EnrichmentPatch extends FillableColumns {
  readonly title: string | null
  readonly inferred: readonly InferredField[]
  readonly links: readonly InferredLink[]
  /** True when a column differs from before. */
  readonly isChanged: boolean
}

/** Returns the new columns: the caller's value, else the model's. Values that were inferred before count as empty. */
function patchOf(row: EnrichedMemory, { inference, entityIds }: Enrichment): EnrichmentPatch {
  const given = callerValues(row)
  const idOf = (name: string) => entityIds.get(nameKey(name)) ?? null
  const [validStart, validEnd] = validityOf(given, inference)
  const hasTriple = given.subjectEntityId !== null || given.predicate !== null || given.objectValue !== null
  const triple = hasTriple ? null : (inference?.triple ?? null)
  const subjectEntityId = triple && idOf(triple.subject)
  const title = row.title === null ? (inference?.title ?? null) : null
  const columns: FillableColumns = {
    memoryType: row.typeGiven ? given.memoryType : (inference?.memoryType ?? given.memoryType),
    validStart,
    validEnd,
    ...(triple && subjectEntityId
      ? { subjectEntityId, predicate: triple.predicate, objectValue: triple.object }
      : { subjectEntityId: given.subjectEntityId, predicate: given.predicate, objectValue: given.objectValue }),
  }
  const inferred: InferredField[] = [
    ...(title === null ? [] : (['title'] as const)),
    ...(Object.keys(COLUMN_FIELDS) as (keyof FillableColumns)[])
      .filter((column) => !isEqualValue(columns[column], given[column]))
      .map((column) => COLUMN_FIELDS[column]),
  ]
  const links = (inference?.entities ?? []).flatMap(({ name, type, role }) => {
    const entityId = idOf(name)
    return entityId === null ? [] : [{ entityId, name, type, role }]
  })
  const isChanged = (Object.keys(COLUMN_FIELDS) as (keyof FillableColumns)[]).some(
    (column) => !isEqualValue(columns[column], row[column]),
  )
  return { ...columns, title, inferred, links, isChanged }
}

const COLUMN_FIELDS = {
  memoryType: 'memory_type',
  validStart: 'ts_valid_start',
  validEnd: 'ts_valid_end',
  subjectEntityId: 'subject_entity_id',
  predicate: 'predicate',
  objectValue: 'object_value',
} as const satisfies { [K in keyof FillableColumns]: InferredField }

function isEqualValue(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? +a === +b : a === b
}

function callerValues(row: EnrichedMemory): FillableColumns {
  const before = enrichmentOf(row.systemMetadata)?.inferred ?? []
  const own = <K extends keyof FillableColumns>(column: K, empty: FillableColumns[K]) =>
    before.includes(COLUMN_FIELDS[column]) ? empty : row[column]
  return {
    memoryType: own('memoryType', 'fact'),
    validStart: own('validStart', null),
    validEnd: own('validEnd', null),
    subjectEntityId: own('subjectEntityId', null),
    predicate: own('predicate', null),
    objectValue: own('objectValue', null),
  }
}

/** Ignores both inferred ends when they would not make a valid interval. */
function validityOf(given: FillableColumns, inference: Inference | null): [Date | null, Date | null] {
  const start = given.validStart ?? inference?.validity.start ?? null
  const end = given.validEnd ?? inference?.validity.end ?? null
  return start && end && end <= start ? [given.validStart, given.validEnd] : [start, end]
}

function recordOf({ inference, text, model, prompt }: Enrichment, patch: EnrichmentPatch, at: Date): EnrichmentRecord {
  return {
    state: inference === null ? 'failed' : isEmptyInference(inference) ? 'abstained' : 'done',
    model,
    prompt,
    text,
    at: at.toISOString(),
    inferred: patch.inferred,
    ...(patch.title !== null && { title: patch.title }),
  }
}

async function updateRow(
  writer: Writer,
  row: EnrichedMemory,
  patch: EnrichmentPatch,
  enrichment: EnrichmentRecord,
  { inference }: Enrichment,
): Promise<void> {
  const tags = inference?.tags ?? []
  const pii = piiOf(row, patch)
  const given = { enrichment, ...(tags.length > 0 && { tags }), ...(pii && { pii }) }
  const more = patch.isChanged ? 1 : 0
  await writer.db
    .updateTable('memories')
    .set({
      version: sql`version + ${more}`,
      service_fills: sql`service_fills + ${more}`,
      memory_type: patch.memoryType,
      valid_start: patch.validStart,
      valid_end: patch.validEnd,
      subject_entity_id: patch.subjectEntityId,
      predicate: patch.predicate,
      predicate_key: patch.predicate && predicateKey(patch.predicate),
      object_value: patch.objectValue,
      system_metadata: sql`(system_metadata - array['enrichment', 'tags', 'pii']) || ${JSON.stringify(given)}::jsonb`,
    })
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', row.id)
    .execute()
}

/** Keeps the findings of `system_metadata.pii` for the caller's fields, and adds those of the filled fields. */
function piiOf(row: EnrichedMemory, { title, objectValue, inferred }: EnrichmentPatch): PiiRecord | null {
  const known = (row.systemMetadata.pii as PiiRecord | undefined) ?? null
  const fields = {
    ...(row.title === null && { title }),
    ...((inferred.includes('object_value') || row.objectValue === null) && { objectValue }),
  }
  return screenPersonalData(fields, 'flag', known).pii
}

/**
 * Returns the trust that supersession is decided by: the lowest among everyone who wrote the text, its validity or its
 * visibility, and the agent that owns the memory now. An agent counts with its present trust, a tenant key with the
 * key's, a tenant key that acts for an agent with the lower of both; 1 when the author is no longer known.
 */
async function readAuthorTrust({ tenantId, db }: Writer, { id, agentId }: StatedMemory): Promise<Trust> {
  const { rows } = await sql<{ trust: Trust }>`
    with authors as (
      select e.actor_kind, e.actor_agent_id, e.actor_key_id from audit_events e
      where e.tenant_id = ${tenantId} and e.subject_id = ${id}
        and (e.action = 'memory.created' or (e.action = 'memory.updated' and e.details -> 'fields' ?| ${AUTHORED_FIELDS}::text[]))
    ), acting as (
      select actor_agent_id as agent_id from authors where actor_agent_id is not null
      union select ${agentId}::text where ${agentId}::text is not null
    )
    select least(
      coalesce((select min(coalesce(a.trust_level, 1)) from acting left join agents a on a.tenant_id = ${tenantId}
        and a.agent_id = acting.agent_id), 3),
      coalesce((select min(case when actor_kind = 'tenant' then coalesce(k.trust_level, 1) else 3 end) from authors
        left join api_keys k on k.tenant_id = ${tenantId} and k.key_id = actor_key_id), 1)
    )::int as trust`.execute(db)
  return rows[0]!.trust
}

/** Fields in `memory.updated` that change what a memory states, when it is valid and who sees it. */
const AUTHORED_FIELDS = ['content', 'title', 'ts_valid_start', 'ts_valid_end', 'visibility']
