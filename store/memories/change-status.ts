import { sql } from 'kysely'
import type { MemoryEvent, MemoryStatus } from '../../domain/memory.js'
import { AUDIT_COLUMNS, type AuditDetails, auditedBy } from '../audit.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { Writer } from '../store.js'
import { slotOf } from './activity.js'
import { updateLinkAudiences } from './audience.js'
import { releaseQuota } from './usage.js'

interface StatusMove {
  readonly from: readonly MemoryStatus[]
  readonly to: MemoryStatus
  readonly at: Date
  /** True when another memory takes the place of these. */
  readonly isSupersession?: boolean
  /** Reason, for the audit. */
  readonly details?: AuditDetails
}

/**
 * Moves rows to a status, in the order of their ids: version, counter deltas, index_pending rows, audit and quota in
 * the same transaction. `from` guards against a concurrent move; returns the ids that moved.
 */
export async function changeStatus(writer: Writer, ids: readonly string[], move: StatusMove): Promise<string[]> {
  if (ids.length === 0) return []
  const action = move.to === 'deleted' ? 'memory.deleted' : 'memory.status_changed'
  const event: MemoryEvent | null = move.to === 'deleted' ? 'deleted' : move.isSupersession ? 'superseded' : null
  const { rows } = await sql<{ id: string }>`
    with held as (
      select id, status from memories
      where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[]) and status = any(${move.from as string[]}::text[])
      order by id for update
    ), moved as (
      update memories m set status = ${move.to}, updated_at = ${move.at}, version = version + 1,
        deleted_at = case when ${move.to} = 'deleted' then ${move.at}::timestamptz end
      from held where m.tenant_id = ${writer.tenantId} and m.id = held.id
      returning m.id, m.fleet_id, m.agent_id, m.visibility, m.memory_type, held.status as old_status,
        m.version - m.service_fills as version
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta, event, slot, events)
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, old_status, -count(*), null, null, 0 from moved
      group by fleet_id, agent_id, visibility, memory_type, old_status
      union all
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, ${move.to}, count(*), ${event}, ${slotOf(move.at)}, count(*)
      from moved
      group by fleet_id, agent_id, visibility, memory_type
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, move.at)}, ${action}, 'memory', id::text,
        jsonb_build_object('from', old_status, 'to', ${move.to}::text, 'version', version) || ${JSON.stringify(move.details ?? {})}::jsonb
      from moved order by id
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select ${writer.tenantId}, 'memory', id from moved order by id
      ${ON_CONFLICT_REQUEUE}
    )
    select id from moved`.execute(writer.db)
  const moved = rows.map((row) => row.id)
  if (move.to === 'deleted') {
    await updateLinkAudiences(writer, moved)
    await releaseQuota(writer, moved.length)
  }
  return moved
}
