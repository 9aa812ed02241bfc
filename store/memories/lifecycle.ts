import { type RawBuilder, sql } from 'kysely'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { ofStatus } from '../conditions.js'
import type { System, Writer } from '../store.js'
import { hasSetting } from '../tenants/settings.js'
import { changeStatus } from './change-status.js'
import { removeMemories } from './remove-memories.js'

const DAY_MS = 86_400_000

/** Which rows' time has come, over a table `m` of memories and a table `t` of tenants. The instants are the caller's clock. */
export type Due = RawBuilder<boolean>

/**
 * Rows whose time is over: expired ones, and those whose validity has ended since they were written (a memory of a time that
 * was past already is as true as before).
 */
export function overdue(now: Date): Due {
  return sql<boolean>`${ofStatus('m', STANDING_STATUSES)}
    and (m.expires_at <= ${now} or (m.valid_end <= ${now} and m.valid_end > m.created_at))`
}

/** Live rows of little weight that nobody has recalled or changed for the days after which their tenant has such rows archived. */
export function idleFor(days: number, now: Date): Due {
  // One instant for all tenants of these days: computed from each tenant's row it would keep the rows from being found by an index.
  const before = new Date(now.getTime() - days * DAY_MS)
  return sql<boolean>`${hasSetting(sql`t.tenant_id`, 'memory', 'archive_after_days', days)} and ${ofStatus('m', LIVE_STATUSES)} and m.weight < 0.3 and m.created_at < ${before}
    and m.updated_at < ${before} and not exists (select from memory_usage u
      where u.tenant_id = m.tenant_id and u.memory_id = m.id and u.last_recalled_at >= ${before})`
}

/** Rows that were deleted longer ago than their tenant keeps them. */
export function outOfRetention(now: Date): Due {
  return sql<boolean>`m.deleted_at <= ${now}::timestamptz - t.retention_days * interval '1 day'`
}

/** Tenants that have such rows, over all tenants. */
export async function tenantsWith({ db }: System, due: Due): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    select t.tenant_id from tenants t
    where exists (select from memories m where m.tenant_id = t.tenant_id and ${due})
    order by t.tenant_id`.execute(db)
  return rows.map((row) => row.tenant_id)
}

export interface DueBatch {
  readonly at: Date
  /** Rows at most. */
  readonly limit: number
}

export async function outdateDue(writer: Writer, due: Due, { at, limit }: DueBatch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  const move = { from: STANDING_STATUSES, to: 'outdated', at, details: { reason: 'expired' } } as const
  return (await changeStatus(writer, ids, move)).length
}

export async function archiveDue(writer: Writer, due: Due, { at, limit }: DueBatch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  const move = { from: LIVE_STATUSES, to: 'archived', at, details: { reason: 'idle' } } as const
  return (await changeStatus(writer, ids, move)).length
}

/** Deleted rows of which the index has held a tombstone for long. */
export async function purgeDue(writer: Writer, due: Due, { at, limit }: DueBatch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  await removeMemories(writer, ids, { action: 'memory.purged', at })
  return ids.length
}

/** Such rows of one tenant, locked, but for those that another process holds. */
async function holdDue(writer: Writer, due: Due, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from memories m join tenants t on t.tenant_id = m.tenant_id
    where m.tenant_id = ${writer.tenantId} and ${due}
    order by m.id limit ${limit} for update of m skip locked`.execute(writer.db)
  return rows.map((row) => row.id)
}
