import { sql } from 'kysely'
import { isEmpty, type Inference } from '../../domain/enrichment/inference.js'
import { type EnrichmentRecord, enrichmentOf, type InferredField, isRead } from '../../domain/enrichment/record.js'
import { predicateKey } from '../../domain/life/contradictions.js'
import { type PiiPolicy, type PiiRecord, screenPersonalData } from '../../domain/personal-data/screen.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { nameKey } from '../../domain/text/memory-text.js'
import type { Trust } from '../../domain/trust.js'
import { audit } from '../audit.js'
import { type ConflictCandidate, type EnrichedMemory, holdForEnrichment } from './enrichment-rows.js'
import { type InferredLink, replaceInferredLinks } from './inferred-links.js'
import { moveCount } from '../memories/change-memory.js'
import { displace, displaceConflicting, type StatedMemory } from '../memories/displace.js'
import { enqueue } from '../outbox/outbox.js'
import type { Writer } from '../store.js'
import { readSettings } from '../tenants/settings.js'

/** What came of reading one text. */
export interface Enrichment {
  readonly memoryId: string
  /** `textKey` of what was read. */
  readonly text: string
  readonly model: string
  readonly prompt: number
  /** By which the inference was held to the text. */
  readonly policy: PiiPolicy
  /** Null when the model gave no answer that can be used. */
  readonly inference: Inference | null
  /** Ids of the inferred entities, by name key. */
  readonly entityIds: ReadonlyMap<string, string>
  /** Memories that a judge found in conflict with it, as it read them. */
  readonly conflicts: readonly ConflictCandidate[]
}

/**
 * Fills in what callers have left empty, once the memory is held and read again: what a caller has given meanwhile stays, and a text that
 * has changed, or is gone, is passed over, and so is everything when the settings that it was read by are others now. Columns, links, counters, what the triple contradicts, the audit and the dirty set in one
 * transaction. A change of columns is one of the row's version, so that nothing keeps a copy of what was, and none of the version that
 * callers see. Returns what state the memory is in, or null when it was passed over.
 */
export async function keepEnrichment(
  writer: Writer,
  enrichment: Enrichment,
  at: Date,
): Promise<EnrichmentRecord['state'] | null> {
  const settings = await readSettings(writer)
  if (!settings.enrichment.enabled || settings.memory.pii_policy !== enrichment.policy) return null
  const held = await holdForEnrichment(writer, [enrichment.memoryId, ...enrichment.conflicts.map(({ id }) => id)])
  const row = held.get(enrichment.memoryId)
  if (!row || !isRead(enrichment.text, row)) return null
  const filled = fill(row, enrichment)
  const record = recordOf(enrichment, filled, at)
  await updateRow(writer, row, filled, record, enrichment)
  await moveCount(writer, row, { memoryType: filled.memoryType })
  const relinked = await replaceInferredLinks(writer, row.id, filled.links)
  if (record.state === 'done') {
    const { id, state, inferred, tags } = { ...record, id: row.id, tags: enrichment.inference!.tags.length }
    const details = { state, fields: inferred, tags, links: filled.links.length, model: record.model }
    await audit(writer, at, [{ action: 'memory.enriched', subject: { kind: 'memory', id }, details }])
  }
  const others = othersOf(enrichment, held)
  await contradict(writer, { ...row, ...filled, supersedesId: null }, record, others, { settings, now: at })
  if (filled.isChanged || relinked) await enqueue(writer, 'memory', [row.id])
  return record.state
}

/** Those in conflict that still say what the judge read. */
function othersOf({ conflicts }: Enrichment, held: ReadonlyMap<string, EnrichedMemory>): EnrichedMemory[] {
  return conflicts.flatMap(({ id, content }) => {
    const other = held.get(id)
    return other?.content === content ? [other] : []
  })
}

/** First by the triple, if it was inferred, then by what the judge said of the others. */
async function contradict(
  writer: Writer,
  stated: StatedMemory,
  record: EnrichmentRecord,
  others: readonly EnrichedMemory[],
  { settings, now }: { readonly settings: Settings; readonly now: Date },
): Promise<void> {
  const isClaim = record.inferred.includes('predicate')
  if (!isClaim && others.length === 0) return
  const trust = await authorTrust(writer, stated)
  if (isClaim) await displace(writer, [stated], { trust, settings, now })
  const stating = others.map((other) => ({ ...other, supersedesId: null }))
  if (stating.length > 0) await displaceConflicting(writer, trust, stated, { others: stating, now })
}

type FilledColumns = Pick<
  EnrichedMemory,
  'memoryType' | 'validStart' | 'validEnd' | 'subjectEntityId' | 'predicate' | 'objectValue'
>

interface Filled extends FilledColumns {
  readonly title: string | null
  readonly inferred: readonly InferredField[]
  readonly links: readonly InferredLink[]
  /** Whether a column is another than before. */
  readonly isChanged: boolean
}

/** The columns as they are to be: the caller's, and the model's where the caller has none. What was inferred before counts as none. */
function fill(row: EnrichedMemory, { inference, entityIds }: Enrichment): Filled {
  const given = callersOf(row)
  const idOf = (name: string) => entityIds.get(nameKey(name)) ?? null
  const [validStart, validEnd] = validityOf(given, inference)
  const hasTriple = given.subjectEntityId !== null || given.predicate !== null || given.objectValue !== null
  const triple = hasTriple ? null : (inference?.triple ?? null)
  const subjectEntityId = triple && idOf(triple.subject)
  const title = row.title === null ? (inference?.title ?? null) : null
  const columns: FilledColumns = {
    memoryType: row.typeGiven ? given.memoryType : (inference?.memoryType ?? given.memoryType),
    validStart,
    validEnd,
    ...(triple && subjectEntityId
      ? { subjectEntityId, predicate: triple.predicate, objectValue: triple.object }
      : { subjectEntityId: given.subjectEntityId, predicate: given.predicate, objectValue: given.objectValue }),
  }
  const inferred: InferredField[] = [
    ...(title === null ? [] : (['title'] as const)),
    ...(Object.keys(COLUMN_FIELDS) as (keyof FilledColumns)[])
      .filter((column) => !isSame(columns[column], given[column]))
      .map((column) => COLUMN_FIELDS[column]),
  ]
  const links = (inference?.entities ?? []).flatMap(({ name, type, role }) => {
    const entityId = idOf(name)
    return entityId === null ? [] : [{ entityId, name, type, role }]
  })
  const isChanged = (Object.keys(COLUMN_FIELDS) as (keyof FilledColumns)[]).some(
    (column) => !isSame(columns[column], row[column]),
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
} as const satisfies { [K in keyof FilledColumns]: InferredField }

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? +a === +b : a === b
}

function callersOf(row: EnrichedMemory): FilledColumns {
  const before = enrichmentOf(row.systemMetadata)?.inferred ?? []
  const own = <K extends keyof FilledColumns>(column: K, empty: FilledColumns[K]) =>
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

/** An end that is inferred must lie after the start, and a start before the end. */
function validityOf(given: FilledColumns, inference: Inference | null): [Date | null, Date | null] {
  const start = given.validStart ?? inference?.validity.start ?? null
  const end = given.validEnd ?? inference?.validity.end ?? null
  return start && end && end <= start ? [given.validStart, given.validEnd] : [start, end]
}

function recordOf({ inference, text, model, prompt }: Enrichment, filled: Filled, at: Date): EnrichmentRecord {
  return {
    state: inference === null ? 'failed' : isEmpty(inference) ? 'abstained' : 'done',
    model,
    prompt,
    text,
    at: at.toISOString(),
    inferred: filled.inferred,
    ...(filled.title !== null && { title: filled.title }),
  }
}

async function updateRow(
  writer: Writer,
  row: EnrichedMemory,
  filled: Filled,
  enrichment: EnrichmentRecord,
  { inference }: Enrichment,
): Promise<void> {
  const tags = inference?.tags ?? []
  const pii = piiOf(row, filled)
  const given = { enrichment, ...(tags.length > 0 && { tags }), ...(pii && { pii }) }
  const more = filled.isChanged ? 1 : 0
  await writer.db
    .updateTable('memories')
    .set({
      version: sql`version + ${more}`,
      service_fills: sql`service_fills + ${more}`,
      memory_type: filled.memoryType,
      valid_start: filled.validStart,
      valid_end: filled.validEnd,
      subject_entity_id: filled.subjectEntityId,
      predicate: filled.predicate,
      predicate_key: filled.predicate && predicateKey(filled.predicate),
      object_value: filled.objectValue,
      system_metadata: sql`(system_metadata - array['enrichment', 'tags', 'pii']) || ${JSON.stringify(given)}::jsonb`,
    })
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', row.id)
    .execute()
}

/** What `system_metadata.pii` says of the caller's fields stays; of the filled ones it says what they hold. */
function piiOf(row: EnrichedMemory, { title, objectValue, inferred }: Filled): PiiRecord | null {
  const known = (row.systemMetadata.pii as PiiRecord | undefined) ?? null
  const fields = {
    ...(row.title === null && { title }),
    ...((inferred.includes('object_value') || row.objectValue === null) && { objectValue }),
  }
  return screenPersonalData(fields, 'flag', known).pii
}

/**
 * What those who wrote the text, said when it holds or whom it speaks to, and the agent whose it is now, may displace: the least of them.
 * Of an agent its trust now, of a tenant key the key's, and of one that acts for an agent the lesser of both, as when they wrote; 1 where
 * nobody knows any more.
 */
async function authorTrust({ tenantId, db }: Writer, { id, agentId }: StatedMemory): Promise<Trust> {
  const { rows } = await sql<{ trust: Trust }>`
    with authors as (
      select e.actor_kind, e.actor_agent_id, e.actor_key_id from audit_events e
      where e.tenant_id = ${tenantId} and e.subject_id = ${id}
        and (e.action = 'memory.created' or (e.action = 'memory.updated' and e.details -> 'fields' ?| ${AUTHORED}::text[]))
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

/** Fields of `memory.updated` that say what a memory states, of what time and to whom. */
const AUTHORED = ['content', 'title', 'ts_valid_start', 'ts_valid_end', 'visibility']
