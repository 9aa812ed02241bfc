import { type NotNull, sql } from 'kysely'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { settingsOf, type StoredSettings } from '../../domain/settings/settings.js'
import { hasFormerHashes } from './former-hashes.js'
import { memoryTotal } from '../tenants/counters.js'
import type { Reader, Writer } from '../store.js'

export interface Usage {
  readonly stored: number
  /** Null means unlimited. */
  readonly limit: number | null
}

const USAGE_COLUMNS = ['stored', 'memories_limit as limit'] as const

/** Usage and settings of a tenant that a write needs, read in one round trip. */
interface WriteRules extends Usage {
  readonly settings: Settings
  readonly hasFormerHashes: boolean
}

/**
 * Returns the tenant's settings and the number of memories that are not deleted, from the counters. Sees its own
 * transaction's writes.
 */
export async function readWriteRules({ db, tenantId }: Reader): Promise<WriteRules> {
  const { rows } = await sql<{
    stored: number
    memories_limit: number | null
    settings: StoredSettings | null
    hasFormerHashes: boolean
  }>`
    select t.memories_limit, s.settings, coalesce(t.stored, ${memoryTotal(tenantId)}) as stored,
      ${hasFormerHashes(tenantId)} as "hasFormerHashes"
    from tenants t left join tenant_settings s on s.tenant_id = t.tenant_id
    where t.tenant_id = ${tenantId}`.execute(db)
  const [row] = rows
  const settings = settingsOf(row?.settings ?? {})
  return {
    stored: row?.stored ?? 0,
    limit: row?.memories_limit ?? null,
    settings,
    hasFormerHashes: row?.hasFormerHashes ?? false,
  }
}

/**
 * Takes `count` from the remaining quota of a limited tenant; takes nothing and returns null when it does not fit. Must
 * run under the transaction's shared quota lock, and last, since it locks the tenant's row until the commit.
 */
export async function takeQuota(writer: Writer, count: number): Promise<Usage | null> {
  const usage = await writer.db
    .updateTable('tenants')
    .set((set) => ({ stored: set('stored', '+', count) }))
    .where('tenant_id', '=', writer.tenantId)
    .where((row) => row(row('stored', '+', count), '<=', row.ref('memories_limit')))
    .returning(USAGE_COLUMNS)
    .$narrowType<{ stored: NotNull }>()
    .executeTakeFirst()
  return usage ?? null
}

/** Returns the quota of `count` deleted rows. Runs last in its transaction: the tenant's row is hot. */
export async function releaseQuota(writer: Writer, count: number): Promise<void> {
  if (count === 0) return
  await writer.db
    .updateTable('tenants')
    .set((set) => ({ stored: set('stored', '-', count) }))
    .where('tenant_id', '=', writer.tenantId)
    .where('memories_limit', 'is not', null)
    .execute()
}

/** Locks the row of a limited tenant, so that its usage cannot change, and returns the usage. */
export async function lockUsage(writer: Writer): Promise<Usage> {
  return writer.db
    .selectFrom('tenants')
    .select(USAGE_COLUMNS)
    .where('tenant_id', '=', writer.tenantId)
    .forUpdate()
    .$narrowType<{ stored: NotNull }>()
    .executeTakeFirstOrThrow()
}
