import { type RawBuilder, sql } from 'kysely'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { AUDIT_COLUMNS, auditedBy } from '../audit.js'
import type { System, Writer } from '../store.js'
import { changeStatus } from './change-status.js'

/** A kind of row whose time has come. `now` and what follows from it are the caller's clock. */
export interface Due {
  /** Over a table `m` of memories and a table `t` of tenants. */
  readonly condition: RawBuilder<boolean>
}

/**
 * Rows whose time is over: expired ones, and those whose validity has ended since they were written (a memory of a time that
 * was past already is as true as before).
 */
export function overdue(now: Date): Due {
  const standing = sql`m.status = any(${[...STANDING_STATUSES]}::text[])`
  return {
    condition: sql<boolean>`${standing} and (m.expires_at <= ${now} or (m.valid_end <= ${now} and m.valid_end > m.created_at))`,
  }
}

/** Live rows of little weight that nobody has recalled or changed since `before`. */
export function idle(before: Date): Due {
  return {
    condition: sql<boolean>`m.status = any(${[...LIVE_STATUSES]}::text[]) and m.weight < 0.3 and m.created_at < ${before}
      and m.updated_at < ${before} and not exists (select from memory_usage u
        where u.tenant_id = m.tenant_id and u.memory_id = m.id and u.last_recalled_at >= ${before})`,
  }
}

/** Rows that were deleted longer ago than their tenant keeps them. */
export function outOfRetention(now: Date): Due {
  return { condition: sql<boolean>`m.deleted_at <= ${now}::timestamptz - t.retention_days * interval '1 day'` }
}

/** Tenants that have such rows, over all tenants. */
export async function tenantsWith({ db }: System, { condition }: Due): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    select t.tenant_id from tenants t
    where exists (select from memories m where m.tenant_id = t.tenant_id and ${condition})
    order by t.tenant_id`.execute(db)
  return rows.map((row) => row.tenant_id)
}

interface Batch {
  readonly at: Date
  readonly limit: number
}

export async function outdateDue(writer: Writer, due: Due, { at, limit }: Batch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  const move = { from: STANDING_STATUSES, to: 'outdated', at, details: { reason: 'expired' } } as const
  return (await changeStatus(writer, ids, move)).length
}

export async function archiveDue(writer: Writer, due: Due, { at, limit }: Batch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  const move = { from: LIVE_STATUSES, to: 'archived', at, details: { reason: 'idle' } } as const
  return (await changeStatus(writer, ids, move)).length
}

/**
 * Removes deleted rows for good, with everything that hangs on them: links, supersessions, usage, vectors of texts that no other
 * memory has, and entities that no memory names any more. Their tombstones in the index are another matter.
 */
export async function purgeDue(writer: Writer, due: Due, { at, limit }: Batch): Promise<number> {
  const ids = await holdDue(writer, due, limit)
  await removeMemories(writer, ids, at)
  return ids.length
}

/** Such rows of one tenant, locked, but for those that another process holds. */
async function holdDue(writer: Writer, { condition }: Due, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from memories m join tenants t on t.tenant_id = m.tenant_id
    where m.tenant_id = ${writer.tenantId} and ${condition}
    order by m.id limit ${limit} for update of m skip locked`.execute(writer.db)
  return rows.map((row) => row.id)
}

async function removeMemories(writer: Writer, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return
  const { rows: named } = await sql<{ id: string }>`
    select entity_id as id from entity_links where tenant_id = ${writer.tenantId} and memory_id = any(${ids as string[]}::uuid[])
    union
    select subject_entity_id from memories
    where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[]) and subject_entity_id is not null`.execute(
    writer.db,
  )
  const { rows: gone } = await sql<{ textHash: Buffer }>`
    with gone as (
      delete from memories where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[])
      returning id, fleet_id, agent_id, visibility, memory_type, status, text_hash
    ), forgotten as (
      delete from memory_usage where tenant_id = ${writer.tenantId} and memory_id = any(${ids as string[]}::uuid[])
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, status, -count(*) from gone
      group by fleet_id, agent_id, visibility, memory_type, status
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, at)}, 'memory.purged', 'memory', id::text, '{}' from gone order by id
    )
    select distinct text_hash as "textHash" from gone`.execute(writer.db)
  await removeUnusedVectors(
    writer,
    gone.map(({ textHash }) => textHash),
  )
  await removeUnusedEntities(
    writer,
    named.map(({ id }) => id),
  )
}

async function removeUnusedVectors(writer: Writer, textHashes: readonly Buffer[]): Promise<void> {
  await sql`
    delete from vectors v where v.tenant_id = ${writer.tenantId} and v.text_hash = any(${textHashes as Buffer[]}::bytea[])
      and not exists (select from memories m where m.tenant_id = v.tenant_id and m.text_hash = v.text_hash)`.execute(
    writer.db,
  )
}

/**
 * Two statements: the first waits for whoever is linking one of them, and keeps everybody else from it; only then can the second
 * see that none is left.
 */
async function removeUnusedEntities(writer: Writer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select from entities where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[])
    order by id for update`.execute(writer.db)
  await sql`
    delete from entities e where e.tenant_id = ${writer.tenantId} and e.id = any(${ids as string[]}::uuid[])
      and not exists (select from entity_links l where l.tenant_id = e.tenant_id and l.entity_id = e.id)
      and not exists (select from memories m where m.tenant_id = e.tenant_id and m.subject_entity_id = e.id)`.execute(
    writer.db,
  )
}
