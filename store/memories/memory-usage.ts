import { sql } from 'kysely'
import type { System } from '../store.js'
import { slotOf } from './activity.js'

export interface RecalledMemory {
  readonly tenantId: string
  readonly memoryId: string
  readonly count: number
  readonly at: Date
}

/**
 * Adds recalls to the narrow usage table. Works over all tenants, since a batch holds many; sorted by key. Leaves out
 * memories that no longer exist.
 */
export async function recordRecalls({ db }: System, memories: readonly RecalledMemory[]): Promise<void> {
  if (memories.length === 0) return
  const rows = memories.map((row) => ({
    tenant_id: row.tenantId,
    memory_id: row.memoryId,
    count: row.count,
    at: row.at,
  }))
  await sql`
    with recalled as materialized (
      select r.tenant_id, r.memory_id, r.count, r.at, m.fleet_id, m.agent_id, m.visibility, m.memory_type, m.status
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(tenant_id text, memory_id uuid, count bigint, at timestamptz)
      join memories m on m.tenant_id = r.tenant_id and m.id = r.memory_id
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta, event, slot, events)
      select tenant_id, fleet_id, agent_id, visibility, memory_type, status, 0, 'recalled', ${slotOf(sql`at`)}, sum(count)
      from recalled group by 1, 2, 3, 4, 5, 6, 9
    )
    insert into memory_usage as u (tenant_id, memory_id, recall_count, last_recalled_at)
    select tenant_id, memory_id, sum(count), max(at) from recalled group by 1, 2 order by tenant_id, memory_id
    on conflict (tenant_id, memory_id) do update set recall_count = u.recall_count + excluded.recall_count,
      last_recalled_at = greatest(u.last_recalled_at, excluded.last_recalled_at)`.execute(db)
}
