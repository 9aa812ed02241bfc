import { sql } from 'kysely'
import { agentTotal, memoryTotal } from './counters.js'
import type { Keyset } from '../keyset.js'
import { quotaLockKey, type System, type Writer } from '../store.js'

/** Requests per minute; an absent one means the service's default. */
export interface TenantRateLimits {
  readonly writes?: number
  readonly recalls?: number
  readonly bulk?: number
  readonly inbox?: number
  readonly messages?: number
}

export interface Tenant {
  readonly tenantId: string
  readonly createdAt: Date
  readonly agents: number
  /** Excludes deleted ones. */
  readonly memories: number
  /** Null means unlimited. */
  readonly memoriesLimit: number | null
  readonly retentionDays: number
  readonly rateLimits: TenantRateLimits
}

interface TenantList extends Keyset<string> {
  readonly tenantId?: string | undefined
}

/** Lists tenants for operators, by tenant_id, with exact counts. */
export async function listTenants(system: System, { tenantId, after, limit }: TenantList): Promise<Tenant[]> {
  let query = tenantsOf(system).orderBy('t.tenant_id').limit(limit)
  if (tenantId !== undefined) query = query.where('t.tenant_id', '=', tenantId)
  if (after !== undefined) query = query.where('t.tenant_id', '>', after)
  return (await query.execute()).map(tenantOf)
}

function tenantsOf({ db }: System) {
  return db
    .selectFrom('tenants as t')
    .select(['t.tenant_id', 't.created_at', ...LIMIT_COLUMNS])
    .select([agentTotal(sql`t.tenant_id`).as('agents'), memoryTotal(sql`t.tenant_id`).as('memories')])
}

type TenantRow = Awaited<ReturnType<ReturnType<typeof tenantsOf>['execute']>>[number]

export interface TenantChange {
  /** Null removes the limit. */
  readonly memoriesLimit?: number | null | undefined
  readonly retentionDays?: number | undefined
  /** Replaces all of them. */
  readonly rateLimits?: TenantRateLimits | undefined
}

/** Limits of a tenant that an operator may set. */
export type TenantLimits = Required<TenantChange>

/** Changes the given limits. Returns the limits before and after, or null when there is no such tenant. */
export async function patchTenant(
  writer: Writer,
  change: TenantChange,
): Promise<{ readonly before: TenantLimits; readonly after: TenantLimits } | null> {
  if (change.memoriesLimit !== undefined) await takeQuotaLock(writer)
  const before = await lockLimits(writer)
  if (!before) return null
  if (change.memoriesLimit !== undefined) await setMemoriesLimit(writer, change.memoriesLimit)
  const row = await writer.db
    .updateTable('tenants')
    .set({
      ...(change.retentionDays === undefined ? {} : { retention_days: change.retentionDays }),
      ...(change.rateLimits === undefined ? {} : { rate_limits: JSON.stringify(change.rateLimits) }),
      tenant_id: writer.tenantId,
    })
    .where('tenant_id', '=', writer.tenantId)
    .returning(LIMIT_COLUMNS)
    .executeTakeFirstOrThrow()
  return { before, after: limitsOf(row) }
}

const LIMIT_COLUMNS = ['memories_limit', 'retention_days', 'rate_limits'] as const

async function lockLimits({ db, tenantId }: Writer): Promise<TenantLimits | null> {
  const query = db.selectFrom('tenants').select(LIMIT_COLUMNS).where('tenant_id', '=', tenantId)
  const row = await query.forNoKeyUpdate().executeTakeFirst()
  return row ? limitsOf(row) : null
}

/**
 * Takes the quota lock exclusively. Writers of memories hold it in shared mode from their first statement to their
 * commit, so this waits for all of them: the count misses none, and later writers see the limit and maintain `stored`.
 * The lock is a statement of its own: the count's snapshot must be younger than it.
 */
async function takeQuotaLock({ tenantId, db }: Writer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${quotaLockKey(tenantId)}, 0))`.execute(db)
}

/** Sets the limit and counts the memories; the caller holds the quota lock. */
async function setMemoriesLimit({ tenantId, db }: Writer, limit: number | null): Promise<void> {
  const stored = sql<number>`(select count(*) from memories where tenant_id = ${tenantId} and status <> 'deleted')`
  await db
    .updateTable('tenants')
    .set({ memories_limit: limit, stored: limit === null ? null : stored })
    .where('tenant_id', '=', tenantId)
    .execute()
}

function limitsOf(row: Pick<TenantRow, (typeof LIMIT_COLUMNS)[number]>): TenantLimits {
  return { memoriesLimit: row.memories_limit, retentionDays: row.retention_days, rateLimits: row.rate_limits }
}

function tenantOf(row: TenantRow): Tenant {
  return {
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    agents: row.agents,
    memories: row.memories,
    memoriesLimit: row.memories_limit,
    retentionDays: row.retention_days,
    rateLimits: row.rate_limits,
  }
}
