import { sql } from 'kysely'
import type { Reader, Writer } from './store.js'

export interface Usage {
  readonly stored: number
  /** Null = unlimited. */
  readonly limit: number | null
}

/** Memories that are not deleted, from kept counters, and the tenant's limit. Sees its own transaction's writes. */
export async function readUsage(reader: Reader): Promise<Usage> {
  const { rows } = await sql<{ stored: number; memories_limit: number | null }>`
    select t.memories_limit, coalesce(t.stored,
      coalesce((select memories from tenant_totals where tenant_id = ${reader.tenantId}), 0)
      + coalesce((select sum(delta)::bigint from memory_counter_deltas
          where tenant_id = ${reader.tenantId} and status <> 'deleted'), 0)) as stored
    from tenants t where tenant_id = ${reader.tenantId}`.execute(reader.db)
  return { stored: rows[0]?.stored ?? 0, limit: rows[0]?.memories_limit ?? null }
}

/**
 * Takes `count` of what a limited tenant has left, or returns null when it does not fit: nothing was taken. Must run under
 * the transaction's shared quota lock, and last, since it holds the tenant's row until the commit.
 */
export async function takeQuota(writer: Writer, count: number): Promise<Usage | null> {
  const { rows } = await sql<Usage>`
    update tenants set stored = stored + ${count}
    where tenant_id = ${writer.tenantId} and stored + ${count} <= memories_limit
    returning stored, memories_limit as "limit"`.execute(writer.db)
  return rows[0] ?? null
}

/** A limited tenant's usage, holding its row so that it stays so. */
export async function lockQuota(writer: Writer): Promise<Usage> {
  const { rows } = await sql<Usage>`
    select stored, memories_limit as "limit" from tenants where tenant_id = ${writer.tenantId} for update`.execute(
    writer.db,
  )
  return rows[0]!
}
