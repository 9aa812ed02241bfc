import { type RawBuilder, sql } from 'kysely'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { ofStatus } from '../conditions.js'
import type { System, Writer } from '../store.js'
import { hasSetting } from '../tenants/settings.js'
import { isUnusedSince } from './archive-unused.js'
import { changeStatus } from './change-status.js'
import { removeMemories } from './remove-memories.js'

const DAY_MS = 86_400_000

/**
 * Condition that rows are due, over a table `m` of memories and a table `t` of tenants. Times come from the caller's
 * clock.
 */
export type DueCondition = RawBuilder<boolean>

/**
 * Returns the condition that rows have expired, or that their validity has ended since they were written (a memory of a
 * time that was past already is as true as before).
 */
export function isOverdue(now: Date): DueCondition {
  return sql<boolean>`${ofStatus('m', STANDING_STATUSES)}
    and (m.expires_at <= ${now} or (m.valid_end <= ${now} and m.valid_end > m.created_at))`
}

/**
 * Returns the condition that live rows of little weight have been neither recalled nor changed for the number of days
 * after which their tenant archives them.
 */
export function isIdleFor(days: number, now: Date): DueCondition {
  // One instant for all tenants with these days: an expression on each tenant's row would rule out an index.
  const before = new Date(now.getTime() - days * DAY_MS)
  return sql<boolean>`${hasSetting(sql`t.tenant_id`, 'memory', 'archive_after_days', days)} and ${ofStatus('m', LIVE_STATUSES)} and m.weight < 0.3
    and m.updated_at < ${before} and ${isUnusedSince(before)}`
}

/** Returns the condition that rows were deleted longer ago than their tenant's retention. */
export function isPastRetention(now: Date): DueCondition {
  return sql<boolean>`m.deleted_at <= ${now}::timestamptz - t.retention_days * interval '1 day'`
}

/** Returns the tenants, of all, that have such rows. */
export async function findTenantsWith({ db }: System, due: DueCondition): Promise<string[]> {
  const rows = await db
    .selectFrom('tenants as t')
    .select('t.tenant_id')
    .where(sql<boolean>`exists (select from memories m where m.tenant_id = t.tenant_id and ${due})`)
    .orderBy('t.tenant_id')
    .execute()
  return rows.map((row) => row.tenant_id)
}

export interface DueBatch {
  readonly at: Date
  /** Maximum number of rows. */
  readonly limit: number
}

export async function outdateDue(writer: Writer, due: DueCondition, { at, limit }: DueBatch): Promise<number> {
  const ids = await lockDue(writer, due, limit)
  const move = { from: STANDING_STATUSES, to: 'outdated', at, details: { reason: 'expired' } } as const
  return (await changeStatus(writer, ids, move)).length
}

export async function archiveDue(writer: Writer, due: DueCondition, { at, limit }: DueBatch): Promise<number> {
  const ids = await lockDue(writer, due, limit)
  const move = { from: LIVE_STATUSES, to: 'archived', at, details: { reason: 'idle' } } as const
  return (await changeStatus(writer, ids, move)).length
}

/** Removes deleted rows for good whose tombstone is long in the index. */
export async function purgeDue(writer: Writer, due: DueCondition, { at, limit }: DueBatch): Promise<number> {
  const ids = await lockDue(writer, due, limit)
  await removeMemories(writer, ids, { action: 'memory.purged', at })
  return ids.length
}

/** Locks due rows of one tenant, skipping those that another process has locked. */
async function lockDue(writer: Writer, due: DueCondition, limit: number): Promise<string[]> {
  const rows = await writer.db
    .selectFrom('memories as m')
    .innerJoin('tenants as t', 't.tenant_id', 'm.tenant_id')
    .select('m.id')
    .where('m.tenant_id', '=', writer.tenantId)
    .where(due)
    .orderBy('m.id')
    .limit(limit)
    .forUpdate('m')
    .skipLocked()
    .execute()
  return rows.map((row) => row.id)
}
