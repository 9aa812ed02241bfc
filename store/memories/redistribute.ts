import { sql } from 'kysely'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { AUDIT_COLUMNS, auditedBy } from '../audit.js'
import { ofStatus } from '../conditions.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { Writer } from '../store.js'

interface Redistribution {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly at: Date
}

/**
 * Makes another agent the author of up to `limit` rows, oldest first, and returns how many. Leaves out deleted rows,
 * `scope_agent` rows (only their author ever sees them) and live rows whose text the other agent has already.
 */
export async function redistribute(writer: Writer, { from, to, limit, at }: Redistribution): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    with held as (
      select m.id from memories m
      where ${isRedistributable(writer, from)} and not ${isStoredFor(writer, to)}
      order by m.id limit ${limit} for update
    ), moved as (
      update memories m set agent_id = ${to}, updated_at = ${at}, version = version + 1
      from held where m.tenant_id = ${writer.tenantId} and m.id = held.id
      returning m.id, m.fleet_id, m.visibility, m.memory_type, m.status, m.version - m.service_fills as version
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, status, sign * count(*)
      from moved, (values (${from}, -1), (${to}, 1)) as change(agent_id, sign)
      group by fleet_id, agent_id, visibility, memory_type, status, sign
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, at)}, 'memory.redistributed', 'memory', id::text,
        jsonb_build_object('from_agent_id', ${from}::text, 'to_agent_id', ${to}::text, 'version', version)
      from moved order by id
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select ${writer.tenantId}, 'memory', id from moved order by id
      ${ON_CONFLICT_REQUEUE}
    )
    select count(*)::int as moved from moved`.execute(writer.db)
  return rows[0]!.moved
}

/** Counts the rows that stay with the first agent. */
export async function countUndistributed(
  writer: Writer,
  { from, to }: Pick<Redistribution, 'from' | 'to'>,
): Promise<{ duplicates: number; private: number; remaining: number }> {
  const { rows } = await sql<{ duplicates: number; private: number; remaining: number }>`
    select count(*) filter (where held)::int as duplicates, count(*) filter (where hidden)::int as private,
      count(*) filter (where not held and not hidden)::int as remaining
    from (
      select ${isStoredFor(writer, to)} as held, false as hidden from memories m where ${isRedistributable(writer, from)}
      union all
      select false, true from memories m
      where m.tenant_id = ${writer.tenantId} and m.agent_id = ${from} and m.status <> 'deleted' and m.visibility = 'scope_agent'
    ) left_behind`.execute(writer.db)
  return rows[0]!
}

function isRedistributable({ tenantId }: Writer, from: string) {
  return sql`m.tenant_id = ${tenantId} and m.agent_id = ${from} and m.status <> 'deleted' and m.visibility <> 'scope_agent'`
}

function isStoredFor({ tenantId }: Writer, to: string) {
  return sql`(${ofStatus('m', LIVE_STATUSES)} and exists (
    select from memories other where other.tenant_id = ${tenantId} and other.content_hash = m.content_hash
      and other.agent_id = ${to} and other.fleet_id is not distinct from m.fleet_id and ${ofStatus('other', LIVE_STATUSES)}))`
}
