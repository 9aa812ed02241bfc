import { sql } from 'kysely'
import type { PiiPolicy } from '../../domain/personal-data/screen.js'
import { memoryTotal } from './counters.js'
import type { Reader, Writer } from '../store.js'

export interface Usage {
  readonly stored: number
  /** Null = unlimited. */
  readonly limit: number | null
}

/** What a write must know of its tenant, in one round trip. */
export interface WriteRules extends Usage {
  readonly piiPolicy: PiiPolicy
}

/** Memories that are not deleted, from kept counters, and the tenant's rules. Sees its own transaction's writes. */
export async function readWriteRules(reader: Reader): Promise<WriteRules> {
  const { rows } = await sql<{ stored: number; memories_limit: number | null; pii_policy: PiiPolicy }>`
    select memories_limit, pii_policy, coalesce(stored, ${memoryTotal(reader.tenantId)}) as stored
    from tenants where tenant_id = ${reader.tenantId}`.execute(reader.db)
  const [row] = rows
  return { stored: row?.stored ?? 0, limit: row?.memories_limit ?? null, piiPolicy: row?.pii_policy ?? 'flag' }
}

export async function readPiiPolicy({ db, tenantId }: Reader): Promise<PiiPolicy> {
  const row = await db.selectFrom('tenants').select('pii_policy').where('tenant_id', '=', tenantId).executeTakeFirst()
  return row?.pii_policy ?? 'flag'
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

/** Gives back what `count` deleted rows took. Last in its transaction: the tenant's row is hot. */
export async function releaseQuota(writer: Writer, count: number): Promise<void> {
  if (count === 0) return
  await sql`update tenants set stored = stored - ${count}
    where tenant_id = ${writer.tenantId} and memories_limit is not null`.execute(writer.db)
}

/** A limited tenant's usage, holding its row so that it stays so. */
export async function lockQuota(writer: Writer): Promise<Usage> {
  const { rows } = await sql<Usage>`
    select stored, memories_limit as "limit" from tenants where tenant_id = ${writer.tenantId} for update`.execute(
    writer.db,
  )
  return rows[0]!
}
