import { sql } from 'kysely'
import { contentHash, formerContentHash } from '../../domain/memory-draft.js'
import { createSavepoint } from '../savepoint.js'
import type { System, Writer } from '../store.js'

/** Form of the text that a row's `content_hash` is of; rows of the former one have `FORMER`. */
export const CURRENT_FORM = 2
const FORMER = sql.lit(1)

interface HashedRow {
  readonly tenantId: string
  readonly id: string
  readonly content: string
}

const COLUMNS = sql`m.tenant_id as "tenantId", m.id, m.content`

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
  const { rows } = await sql<HashedRow>`
    select ${COLUMNS} from memories m
    where m.tenant_id = ${writer.tenantId} and m.content_hash_form = ${FORMER} and m.content_hash = any(${hashes}::bytea[])
    order by m.id for update`.execute(writer.db)
  await renew(writer, rows)
}

/**
 * Brings up to `limit` rows of all tenants to the current form and returns their number. Leaves out rows that another
 * transaction has locked.
 */
export async function renewHashes(system: System, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<HashedRow>`
    select ${COLUMNS} from memories m where m.content_hash_form = ${FORMER} limit ${limit} for update skip locked`.execute(
    system.db,
  )
  await renew(system, rows)
  return rows.length
}

/** Brings up to `limit` rows of these agents to the current form and returns their number. */
export async function renewHashesOfAgents(
  writer: Writer,
  agentIds: readonly string[],
  { limit }: { limit: number },
): Promise<number> {
  const { tenantId, db } = writer
  const { rows } = await sql<HashedRow>`
    select ${COLUMNS} from memories m
    where ${hasFormerHashes(tenantId)} and m.tenant_id = ${tenantId} and m.agent_id = any(${agentIds as string[]}::text[])
      and m.content_hash_form = ${FORMER}
    order by m.id limit ${limit} for update`.execute(db)
  await renew(writer, rows)
  return rows.length
}

/**
 * Gives rows, which the caller has locked, their hashes of the current form. Only rows of an earlier version that wrote
 * beside this one can collide with another live row: such a row keeps its hash.
 */
async function renew(transaction: Writer | System, rows: readonly HashedRow[]): Promise<void> {
  if (rows.length === 0) return
  const rollbackToSavepoint = await createSavepoint(transaction)
  try {
    await update(transaction, rows, (row) => contentHash(row.content))
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    await rollbackToSavepoint()
    const half = Math.ceil(rows.length / 2)
    if (rows.length === 1) await update(transaction, rows, () => null)
    else for (const part of [rows.slice(0, half), rows.slice(half)]) await renew(transaction, part)
  }
}

const UNIQUE_VIOLATION = '23505'

async function update(
  { db }: Writer | System,
  rows: readonly HashedRow[],
  hashOf: (row: HashedRow) => Buffer | null,
): Promise<void> {
  await sql`
    update memories m set content_hash = coalesce(given.hash, m.content_hash), content_hash_form = ${sql.lit(CURRENT_FORM)}
    from unnest(${rows.map(({ tenantId }) => tenantId)}::text[], ${rows.map(({ id }) => id)}::uuid[], ${rows.map(hashOf)}::bytea[])
      as given(tenant_id, id, hash)
    where m.tenant_id = given.tenant_id and m.id = given.id`.execute(db)
}
