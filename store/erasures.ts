import { type RawBuilder, sql } from 'kysely'
import { enqueue } from './outbox.js'
import { removeMemories } from './memories/remove-memories.js'
import type { Reader, System, Writer } from './store.js'
import { releaseQuota } from './usage.js'

/** Whose memories go: an agent's, those about an entity (as subject or linked), or these. */
export type ErasureSelector =
  { readonly agentId: string } | { readonly subjectEntityId: string } | { readonly memoryIds: readonly string[] }

/** Memories, deleted ones included, whatever their visibility. */
export async function countSelected(reader: Reader, selector: ErasureSelector): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memories m where ${selected(reader, selector)}`.execute(reader.db)
  return rows[0]!.count
}

export async function selectIds(reader: Reader, selector: ErasureSelector): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from memories m where ${selected(reader, selector)} order by m.id`.execute(reader.db)
  return rows.map((row) => row.id)
}

function selected({ tenantId }: Reader, selector: ErasureSelector): RawBuilder<unknown> {
  const own = sql`m.tenant_id = ${tenantId}`
  if ('agentId' in selector) return sql`${own} and m.agent_id = ${selector.agentId}`
  if ('memoryIds' in selector) return sql`${own} and m.id = any(${selector.memoryIds as string[]}::uuid[])`
  return sql`${own} and (m.subject_entity_id = ${selector.subjectEntityId} or exists (
    select from entity_links l
    where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = ${selector.subjectEntityId}))`
}

export interface ErasedBatch {
  readonly ids: readonly string[]
  readonly textHashes: readonly Buffer[]
}

/**
 * Erases up to `limit` of the selected memories: their rows and all that hangs on them, answers kept for repeated requests that name
 * them, what recalls kept of them, what the audit says in detail, and what other memories hold of them. Their tombstones are in the
 * dirty set when this commits.
 */
export async function eraseBatch(
  writer: Writer,
  selector: ErasureSelector,
  { at, limit }: { at: Date; limit: number },
): Promise<ErasedBatch> {
  const { rows } = await sql<{ id: string; isLive: boolean }>`
    select m.id, m.status <> 'deleted' as "isLive" from memories m where ${selected(writer, selector)}
    order by m.id limit ${limit} for update`.execute(writer.db)
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return { ids, textHashes: [] }
  const textHashes = await removeMemories(writer, ids, { action: 'memory.erased', at })
  await forgetMentions(writer, ids)
  await writer.db
    .deleteFrom('index_pending')
    .where('tenant_id', '=', writer.tenantId)
    .where('kind', 'in', ['vector', 'enrich'])
    .where('entity_id', 'in', ids)
    .execute()
  await enqueue(writer, 'memory', ids)
  await releaseQuota(writer, rows.filter(({ isLive }) => isLive).length)
  return { ids, textHashes }
}

async function forgetMentions(writer: Writer, ids: readonly string[]): Promise<void> {
  const { tenantId, db } = writer
  const uuids = sql`${ids as string[]}::uuid[]`
  const texts = sql`${ids as string[]}::text[]`
  await sql`
    delete from idempotency_keys where tenant_id = ${tenantId}
      and exists (select from unnest(${texts}) as erased(id) where strpos(body, erased.id) > 0)`.execute(db)
  await sql`
    update recalls set results = (
      select coalesce(jsonb_agg(result order by place), '[]')
      from jsonb_array_elements(results) with ordinality as came(result, place)
      where not (result ->> 'memory_id')::uuid = any(${uuids}))
    where tenant_id = ${tenantId} and exists (
      select from jsonb_array_elements(results) as came(result) where (result ->> 'memory_id')::uuid = any(${uuids}))`.execute(
    db,
  )
  await sql`
    update audit_events set details = '{}'
    where tenant_id = ${tenantId} and subject_id = any(${texts}) and details <> '{}'`.execute(db)
}

/** Removes the tombstones' rows that are settled, so that nothing in the dirty set names them; says how many are not yet. */
export async function forgetSettled(writer: Writer, ids: readonly string[]): Promise<number> {
  await sql`
    delete from index_pending
    where tenant_id = ${writer.tenantId} and entity_id = any(${ids as string[]}::uuid[]) and settled_at is not null`.execute(
    writer.db,
  )
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from index_pending
    where tenant_id = ${writer.tenantId} and entity_id = any(${ids as string[]}::uuid[])`.execute(writer.db)
  return rows[0]!.count
}

export async function findErasure({ db }: System, id: string): Promise<(Erasure & { tenantId: string }) | undefined> {
  const row = await db.selectFrom('erasures').selectAll().where('id', '=', id).executeTakeFirst()
  return (
    row && {
      id: row.id,
      tenantId: row.tenant_id,
      at: row.at,
      selector: row.selector,
      memoryIds: row.memory_ids,
      textHashes: row.text_hashes,
      receipt: row.receipt,
      hash: row.hash,
    }
  )
}

/** Of an agent whose memories go: what it is called, and what was recalled for it. */
export async function forgetAgent(writer: Writer, agentId: string): Promise<void> {
  await writer.db
    .updateTable('agents')
    .set({ display_name: null })
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .execute()
  await writer.db
    .deleteFrom('recalls')
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .execute()
}

export interface Erasure {
  readonly id: string
  readonly at: Date
  readonly selector: Readonly<Record<string, unknown>>
  readonly memoryIds: readonly string[]
  readonly textHashes: readonly Buffer[]
  readonly receipt: Readonly<Record<string, unknown>>
  readonly hash: string
}

export async function keepErasure(writer: Writer, erasure: Erasure): Promise<void> {
  await writer.db
    .insertInto('erasures')
    .values({
      id: erasure.id,
      tenant_id: writer.tenantId,
      at: erasure.at,
      selector: JSON.stringify(erasure.selector),
      memory_ids: erasure.memoryIds as string[],
      text_hashes: erasure.textHashes as Buffer[],
      receipt: JSON.stringify(erasure.receipt),
      hash: erasure.hash,
    })
    .execute()
}
