import { type RawBuilder, sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { predicateKey } from '../../domain/life/contradictions.js'
import { contentHash, textHash } from '../../domain/memory-draft.js'
import type { GivenMember, Memory } from '../../domain/memory-fields.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import type { EnrichmentRecord } from '../../domain/enrichment/record.js'
import type { PiiRecord } from '../../domain/personal-data/screen.js'
import { enqueue } from '../outbox/outbox.js'
import { replaceInferredLinks } from '../enrichment/inferred-links.js'
import { removeUnusedVectors } from '../erasure/unused.js'
import { createSavepoint } from '../savepoint.js'
import type { Writer } from '../store.js'
import { linkAudience, updateLinkAudiences } from './audience.js'
import { columnValues } from './columns.js'
import { linkToJson, type NewMemory } from './insert-memories.js'

/** Columns with their new values; `links`, when given, replace all of the caller's links. */
export interface MemoryColumns extends Partial<Pick<Memory, GivenMember | 'typeGiven'>> {
  /** Findings of personal data in `system_metadata`; null removes them. The rest of `system_metadata` stays. */
  readonly pii?: PiiRecord | null
  readonly links?: NewMemory['links']
  /** The inferences that stay; null when all go, with tags and links. */
  readonly enrichment?: EnrichmentRecord | null
}

const UNIQUE_VIOLATION = '23505'

/**
 * Changes a row that the caller has locked: columns, keys, version, counter deltas and index_pending row. Returns
 * false, and changes nothing, when a live row with the new text exists already.
 */
export async function changeMemory(writer: Writer, row: Memory, columns: MemoryColumns, at: Date): Promise<boolean> {
  const rollbackToSavepoint = await createSavepoint(writer)
  try {
    await updateRow(writer, row, columns, at)
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    await rollbackToSavepoint()
    return false
  }
  await moveCount(writer, row, columns)
  if (columns.links) await replaceLinks(writer, row.id, columns.links)
  if (columns.enrichment === null) await replaceInferredLinks(writer, row.id, [])
  if (columns.visibility || columns.status) await updateLinkAudiences(writer, [row.id])
  const { content = row.content, title = row.title } = columns
  if (embeddedText({ content, title }) !== embeddedText(row)) await removeUnusedVectors(writer, [textHash(row)])
  await enqueue(writer, 'memory', [row.id])
  return true
}

async function updateRow(writer: Writer, row: Memory, columns: MemoryColumns, at: Date): Promise<void> {
  const { pii, enrichment, links: _, ...fields } = columns
  const { content = row.content, title = row.title, predicate } = fields
  await writer.db
    .updateTable('memories')
    .set({
      version: sql`version + 1`,
      updated_at: at,
      ...columnValues(fields),
      content_hash: contentHash(content),
      text_hash: textHash({ title, content }),
      predicate_key: predicate && predicateKey(predicate),
      system_metadata: systemMetadataOf({ pii, enrichment }),
    })
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', row.id)
    .execute()
}

/** Replaces the given keys of `system_metadata` and keeps the others. */
function systemMetadataOf({
  pii,
  enrichment,
}: Pick<MemoryColumns, 'pii' | 'enrichment'>): RawBuilder<string> | undefined {
  if (pii === undefined && enrichment === undefined) return undefined
  const gone = [
    ...(pii === undefined ? [] : ['pii']),
    ...(enrichment === undefined ? [] : ['enrichment']),
    ...(enrichment === null ? ['tags'] : []),
  ]
  const given = { ...(pii && { pii }), ...(enrichment && { enrichment }) }
  return sql`(system_metadata - ${gone}::text[]) || ${JSON.stringify(given)}::jsonb`
}

/** Moves the row from one counter to another when one of the counted columns changes. */
export async function moveCount(
  writer: Writer,
  row: Memory,
  columns: Pick<MemoryColumns, 'visibility' | 'memoryType' | 'status'>,
): Promise<void> {
  const before = { visibility: row.visibility, memory_type: row.memoryType, status: row.status }
  const after = {
    visibility: columns.visibility ?? row.visibility,
    memory_type: columns.memoryType ?? row.memoryType,
    status: columns.status ?? row.status,
  }
  if (isDeepStrictEqual(before, after)) return
  const key = { tenant_id: writer.tenantId, fleet_id: row.fleetId, agent_id: row.agentId }
  await writer.db
    .insertInto('memory_counter_deltas')
    .values([
      { ...key, ...before, delta: -1 },
      { ...key, ...after, delta: 1 },
    ])
    .execute()
}

async function replaceLinks(writer: Writer, memoryId: string, links: NewMemory['links']): Promise<void> {
  await writer.db
    .deleteFrom('entity_links')
    .where('tenant_id', '=', writer.tenantId)
    .where('memory_id', '=', memoryId)
    .where('origin', '=', 'caller')
    .execute()
  if (links.length === 0) return
  await sql`
    insert into entity_links (tenant_id, memory_id, entity_id, role, entity_type, name, audience)
    select m.tenant_id, m.id, link.entity_id, link.role, link.entity_type, link.name, ${linkAudience()}
    from memories m, jsonb_to_recordset(${JSON.stringify(links.map(linkToJson))}::jsonb)
      as link(entity_id uuid, role text, entity_type text, name text)
    where m.tenant_id = ${writer.tenantId} and m.id = ${memoryId}
    order by link.entity_id, link.role on conflict do nothing`.execute(writer.db)
}

/** Adds `by` to the weight and limits it to 0.05 to 1. The index does not hold weights, so it needs no update. */
export async function adjustWeight(
  writer: Writer,
  id: string,
  { by, at }: { by: number; at: Date },
): Promise<{ before: number; after: number }> {
  const { rows } = await sql<{ before: number; after: number }>`
    with held as (
      select weight from memories where tenant_id = ${writer.tenantId} and id = ${id} for update
    )
    update memories m set weight = greatest(0.05, least(1, round((held.weight + ${by})::numeric, 4))), updated_at = ${at},
      version = version + 1
    from held where m.tenant_id = ${writer.tenantId} and m.id = ${id}
    returning held.weight as before, m.weight as after`.execute(writer.db)
  return rows[0]!
}
