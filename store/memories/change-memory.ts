import { type RawBuilder, sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { predicateKey } from '../../domain/life/contradictions.js'
import { contentHash, textHash } from '../../domain/memory-draft.js'
import type { Memory } from '../../domain/memory-fields.js'
import type { EnrichmentRecord } from '../../domain/enrichment/record.js'
import type { PiiRecord } from '../../domain/personal-data/screen.js'
import { createSavepoint } from '../savepoint.js'
import type { Writer } from '../store.js'
import { linkAudience } from './audience.js'
import { columnValues } from './columns.js'
import { CURRENT_FORM, renewHashesOf } from './former-hashes.js'
import { countLanguageOfFormer } from './former-languages.js'
import { linkToJson, type NewMemory } from './insert-memories.js'

/** Keys of `system_metadata` with their new values; null removes a key, and absent ones stay. */
export interface DerivedValues {
  readonly pii?: PiiRecord | null
  readonly enrichment?: EnrichmentRecord | null
  readonly tags?: readonly string[] | null
}

/** New values of a row. */
export interface RowChange {
  readonly fields: Partial<Memory>
  readonly derived: DerivedValues
  /** The version that callers see counts a `change`; a `fill` makes a version that it does not count, null makes none. */
  readonly counts: 'change' | 'fill' | null
  readonly at: Date
}

const UNIQUE_VIOLATION = '23505'

/**
 * Updates a row that the caller has locked: its fields, the keys that follow from them, and its version. Returns false,
 * and changes nothing, when a live row with the new text exists already.
 */
export async function updateMemory(writer: Writer, row: Memory, change: RowChange): Promise<boolean> {
  // No other change can make a row equal to another.
  if (change.fields.content === undefined && change.fields.status === undefined) {
    await updateRow(writer, row, change)
    return true
  }
  await renewHashesOf(writer, [row.content, change.fields.content ?? row.content])
  const rollbackToSavepoint = await createSavepoint(writer)
  try {
    await updateRow(writer, row, change)
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    await rollbackToSavepoint()
    return false
  }
}

async function updateRow(writer: Writer, row: Memory, { fields, derived, counts, at }: RowChange): Promise<void> {
  const { content = row.content, title = row.title, predicate } = fields
  const readsLanguage = fields.content !== undefined || fields.language !== undefined
  if (readsLanguage) await countLanguageOfFormer(writer, row.id, fields.language ?? row.language)
  await writer.db
    .updateTable('memories')
    .set({
      ...columnValues(fields),
      ...(fields.content !== undefined && { content_hash: contentHash(content), content_hash_form: CURRENT_FORM }),
      ...(readsLanguage && { is_language_read: true }),
      ...((fields.content !== undefined || fields.title !== undefined) && { text_hash: textHash({ title, content }) }),
      predicate_key: predicate && predicateKey(predicate),
      system_metadata: systemMetadataWith(derived),
      ...(counts !== null && { version: sql`version + 1` }),
      ...(counts === 'change' && { updated_at: at }),
      ...(counts === 'fill' && { service_fills: sql`service_fills + 1` }),
    })
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', row.id)
    .execute()
}

function systemMetadataWith(derived: DerivedValues): RawBuilder<string> | undefined {
  const keys = Object.entries(derived).filter(([, value]) => value !== undefined)
  if (keys.length === 0) return undefined
  const given = JSON.stringify(Object.fromEntries(keys.filter(([, value]) => value !== null)))
  return sql`(system_metadata - ${keys.map(([key]) => key)}::text[]) || ${given}::jsonb`
}

/** Moves the row from one counter to another when one of the counted columns changes. */
export async function moveCount(
  writer: Writer,
  row: Memory,
  changed: Partial<Pick<Memory, 'visibility' | 'memoryType' | 'status'>>,
): Promise<void> {
  const before = { visibility: row.visibility, memory_type: row.memoryType, status: row.status }
  const after = {
    visibility: changed.visibility ?? row.visibility,
    memory_type: changed.memoryType ?? row.memoryType,
    status: changed.status ?? row.status,
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

/** Replaces the links that callers gave a memory. */
export async function replaceLinks(writer: Writer, memoryId: string, links: NewMemory['links']): Promise<void> {
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
