import { type RawBuilder, sql } from 'kysely'
import { anyOfQuery, ofTenant } from '../conditions.js'
import { LOCKS, tryLock } from '../locks.js'
import type { System, Writer } from '../store.js'

/**
 * Returns the SQL expression for the number of memories, of one tenant or of all, that are not deleted: totals plus
 * pending deltas, which must be read in one statement, so that a compaction between them neither hides nor doubles
 * anything.
 */
export function memoryTotal(tenantId?: string | RawBuilder<unknown>): RawBuilder<number> {
  const wanted = ofTenant(tenantId)
  return sql<number>`(coalesce((select sum(memories)::bigint from tenant_totals where ${wanted}), 0)
    + coalesce((select sum(delta)::bigint from memory_counter_deltas where ${wanted} and status <> 'deleted'), 0))`
}

/** Returns the same expression for agents. */
export function agentTotal(tenantId?: string | RawBuilder<unknown>): RawBuilder<number> {
  const wanted = ofTenant(tenantId)
  return sql<number>`(coalesce((select sum(agents)::bigint from tenant_totals where ${wanted}), 0)
    + coalesce((select sum(delta)::bigint from agent_counter_deltas where ${wanted}), 0))`
}

/** Counter of an agent; null for none. */
type AgentCounterKey = { readonly fleetId: string | null } | null

/** Counts an agent that is registered, deleted or changes its fleet, in the transaction that does it. */
export async function moveAgentCount(
  { db, tenantId }: Writer,
  from: AgentCounterKey,
  to: AgentCounterKey,
): Promise<void> {
  if (from && to && from.fleetId === to.fleetId) return
  const deltas = [
    ...(from ? [{ tenant_id: tenantId, fleet_id: from.fleetId, delta: -1 }] : []),
    ...(to ? [{ tenant_id: tenantId, fleet_id: to.fleetId, delta: 1 }] : []),
  ]
  if (deltas.length > 0) await db.insertInto('agent_counter_deltas').values(deltas).execute()
}

/**
 * Adds up to `limit` pending deltas of memories, and as many of agents and of languages, to the counters, their sums and the totals of
 * tenants and fleets, in one statement: a statement that sums counters and pending deltas reads the exact sum before,
 * during and after. Returns how many deltas were added, or null when another process is compacting.
 */
export async function compactCounters(
  { db }: System,
  { limit = 20_000 }: { limit?: number } = {},
): Promise<number | null> {
  if (!(await tryLock(db, LOCKS.counters))) return null
  const { rows: compacted } = await sql<{ count: number }>`
    with gone as (
      delete from memory_counter_deltas
      where id = ${oldestDeltas('memory_counter_deltas', limit)}
      returning tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta, event, slot, events
    ), gone_agents as (
      delete from agent_counter_deltas
      where id = ${oldestDeltas('agent_counter_deltas', limit)}
      returning tenant_id, fleet_id, delta
    ), live as (
      select tenant_id, fleet_id, delta as memories, 0 as agents from gone where status <> 'deleted' and delta <> 0
      union all select tenant_id, fleet_id, 0, delta from gone_agents
    ), counted as (
      ${addToCounters('memory_counters', ['fleet_id', 'agent_id', 'visibility', 'memory_type', 'status'])}
    ), by_kind as (
      ${addToCounters('memory_counters_by_kind', ['visibility', 'memory_type', 'status'])}
    ), by_fleet as (
      ${addToCounters('memory_counters_by_fleet', ['fleet_id', 'visibility', 'memory_type', 'status'])}
    ), by_agent as (
      ${addToCounters('memory_counters_by_agent', ['agent_id', 'fleet_id', 'visibility', 'status'])}
    ), happened as (
      insert into memory_activity as a (tenant_id, slot, event, fleet_id, agent_id, visibility, memory_type, count)
      select tenant_id, slot, event, fleet_id, agent_id, visibility, memory_type, sum(events) from gone where event is not null
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (tenant_id, slot, event, fleet_id, agent_id, visibility, memory_type) do update set count = a.count + excluded.count
    ), gone_languages as (
      delete from language_counter_deltas
      where id = ${oldestDeltas('language_counter_deltas', limit)}
      returning tenant_id, language, delta
    ), by_language as (
      insert into language_counters as c (tenant_id, language, count)
      select tenant_id, language, sum(delta) from gone_languages group by tenant_id, language order by tenant_id, language
      on conflict (tenant_id, language) do update set count = c.count + excluded.count
    ), tenants_totalled as (
      insert into tenant_totals as t (tenant_id, memories, agents)
      select tenant_id, sum(memories), sum(agents) from live group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set memories = t.memories + excluded.memories, agents = t.agents + excluded.agents
    ), fleets_totalled as (
      insert into fleet_totals as t (tenant_id, fleet_id, memories, agents)
      select tenant_id, fleet_id, sum(memories), sum(agents) from live where fleet_id is not null
      group by tenant_id, fleet_id order by tenant_id, fleet_id
      on conflict (tenant_id, fleet_id) do update set memories = t.memories + excluded.memories, agents = t.agents + excluded.agents
    )
    select (select count(*) from gone) + (select count(*) from gone_agents) + (select count(*) from gone_languages) as count`.execute(
    db,
  )
  return compacted[0]!.count
}

/** Returns the oldest deltas of a table for `= any`. */
export function oldestDeltas(table: string, limit: number): RawBuilder<unknown> {
  return anyOfQuery(sql`select id from ${sql.table(table)} order by id limit ${limit}`)
}

/** Adds the deleted deltas to the counters of a table, by these columns of its key, in the order of the keys. */
function addToCounters(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const key = sql.join([sql.ref('tenant_id'), ...columns.map((column) => sql.ref(column))])
  return sql`insert into ${sql.table(table)} as c (${key}, count)
    select ${key}, sum(delta) from gone group by ${key} having sum(delta) <> 0 order by ${key}
    on conflict (${key}) do update set count = c.count + excluded.count`
}
