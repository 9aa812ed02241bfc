import { sql } from 'kysely'
import { contentHash, formerContentHash } from '../../domain/memory-draft.js'
import { anyOf } from '../conditions.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import { createSavepoint } from '../savepoint.js'
import type { System, Writer } from '../store.js'

/** Form of the text that a row's `content_hash` is of; rows of the former one have `FORMER`. */
export const CURRENT_FORM = 2
const FORMER = sql.lit<1>(1)

interface HashedRow {
  readonly tenantId: string
  readonly id: string
  readonly content: string
}

const COLUMNS = ['tenant_id as tenantId', 'id', 'content'] as const

/** Returns whether the tenant has rows whose hash is of the former form. Costs one probe of an index that is empty otherwise. */
export function hasFormerHashes(tenantId: string) {
  return sql<boolean>`exists (select from memories f where f.tenant_id = ${tenantId} and f.content_hash_form = ${FORMER})`
}

/**
 * Brings the rows of the tenant that could be duplicates of these texts to the current form, so that the unique index
 * knows them. Texts that are equal in the current form are equal in the former one: no other row can be a duplicate.
 */
export async function renewHashesOf(writer: Writer, contents: readonly string[]): Promise<void> {
  const hashes = [...new Map(contents.map((content) => [content, formerContentHash(content)])).values()]
  const rows = await writer.db
    .selectFrom('memories')
    .select(COLUMNS)
    .where('tenant_id', '=', writer.tenantId)
    .where('content_hash_form', '=', FORMER)
    .where('content_hash', '=', anyOf(hashes))
    .orderBy('id')
    .forUpdate()
    .execute()
  await renew(writer, rows)
}

/**
 * Brings up to `limit` rows of all tenants to the current form; returns their number, and how many of them are indexed
 * again. Leaves out rows that another transaction has locked.
 */
export async function renewHashes(
  system: System,
  { limit }: { limit: number },
): Promise<{ renewed: number; requeued: number }> {
  const rows = await system.db
    .selectFrom('memories')
    .select(COLUMNS)
    .where('content_hash_form', '=', FORMER)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return { renewed: rows.length, requeued: await renew(system, rows) }
}

/** Brings up to `limit` rows of these agents to the current form and returns their number. */
export async function renewHashesOfAgents(
  writer: Writer,
  agentIds: readonly string[],
  { limit }: { limit: number },
): Promise<number> {
  const { tenantId, db } = writer
  const rows = await db
    .selectFrom('memories')
    .select(COLUMNS)
    .where(hasFormerHashes(tenantId))
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', anyOf(agentIds))
    .where('content_hash_form', '=', FORMER)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  await renew(writer, rows)
  return rows.length
}

/** Earlier versions indexed no members of the lists in metadata, so such rows are indexed again. */
const HAS_LIST = sql`jsonb_path_exists(m.metadata, 'strict $.* ? (@.type() == "array")')`

/**
 * Gives rows, which the caller has locked, their hashes of the current form, and returns how many are indexed again. Only rows of an earlier version that wrote
 * beside this one can collide with another live row: such a row keeps its hash.
 */
async function renew(transaction: Writer | System, rows: readonly HashedRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const rollbackToSavepoint = await createSavepoint(transaction)
  try {
    return await update(transaction, rows, (row) => contentHash(row.content))
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    await rollbackToSavepoint()
    const half = Math.ceil(rows.length / 2)
    if (rows.length === 1) return update(transaction, rows, () => null)
    return (await renew(transaction, rows.slice(0, half))) + (await renew(transaction, rows.slice(half)))
  }
}

const UNIQUE_VIOLATION = '23505'

async function update(
  { db }: Writer | System,
  rows: readonly HashedRow[],
  hashOf: (row: HashedRow) => Buffer | null,
): Promise<number> {
  const { rows: requeued } = await sql<{ id: string }>`
    with renewed as (
      update memories m set content_hash = coalesce(given.hash, m.content_hash), content_hash_form = ${sql.lit(CURRENT_FORM)}
      from unnest(${rows.map(({ tenantId }) => tenantId)}::text[], ${rows.map(({ id }) => id)}::uuid[], ${rows.map(hashOf)}::bytea[])
        as given(tenant_id, id, hash)
      where m.tenant_id = given.tenant_id and m.id = given.id
      returning m.tenant_id, m.id, m.status <> 'deleted' and ${HAS_LIST} as is_incomplete
    )
    insert into index_pending (tenant_id, kind, entity_id)
    select tenant_id, 'memory', id from renewed where is_incomplete order by tenant_id, id
    ${ON_CONFLICT_REQUEUE}
    returning entity_id as id`.execute(db)
  return requeued.length
}
