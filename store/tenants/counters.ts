import { type RawBuilder, sql } from 'kysely'
import { ofTenant } from '../conditions.js'
import type { System } from '../store.js'

/**
 * Memories of one tenant, or of all, that are not deleted, as SQL: what is kept and what is open, which belong into one statement,
 * so that a compaction between them neither hides nor doubles anything.
 */
export function memoryTotal(tenantId?: string | RawBuilder<unknown>): RawBuilder<number> {
  const wanted = ofTenant(tenantId)
  return sql<number>`(coalesce((select sum(memories)::bigint from tenant_totals where ${wanted}), 0)
    + coalesce((select sum(delta)::bigint from memory_counter_deltas where ${wanted} and status <> 'deleted'), 0))`
}

/** Any number, the same in every process: one of them compacts at a time. */
const COMPACTION_LOCK = 7_205_713

/**
 * Folds up to `limit` open deltas into the kept counters and the tenants' totals, in one statement: whoever sums counters and
 * open deltas in one statement reads the exact sum before, during and after. Returns how many were folded, null when another
 * process is at it.
 */
export async function compactCounters(
  { db }: System,
  { limit = 20_000 }: { limit?: number } = {},
): Promise<number | null> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${COMPACTION_LOCK}::bigint) as mine`.execute(db)
  if (!rows[0]!.mine) return null
  const { rows: folded } = await sql<{ count: number }>`
    with gone as (
      delete from memory_counter_deltas
      where id in (select id from memory_counter_deltas order by id limit ${limit})
      returning tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta
    ), counted as (
      insert into memory_counters as c (tenant_id, fleet_id, agent_id, visibility, memory_type, status, count)
      select tenant_id, fleet_id, agent_id, visibility, memory_type, status, sum(delta) from gone
      group by tenant_id, fleet_id, agent_id, visibility, memory_type, status
      order by tenant_id, fleet_id, agent_id, visibility, memory_type, status
      on conflict (tenant_id, fleet_id, agent_id, visibility, memory_type, status)
        do update set count = c.count + excluded.count
    ), totalled as (
      insert into tenant_totals as t (tenant_id, memories)
      select tenant_id, sum(delta) from gone where status <> 'deleted' group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set memories = t.memories + excluded.memories
    )
    select count(*) as count from gone`.execute(db)
  return folded[0]!.count
}
