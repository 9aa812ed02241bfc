import { sql } from 'kysely'
import type { System } from '../store.js'

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
    insert into memory_usage as u (tenant_id, memory_id, recall_count, last_recalled_at)
    select r.tenant_id, r.memory_id, r.count, r.at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(tenant_id text, memory_id uuid, count bigint, at timestamptz)
    join memories m on m.tenant_id = r.tenant_id and m.id = r.memory_id
    order by r.tenant_id, r.memory_id
    on conflict (tenant_id, memory_id) do update set recall_count = u.recall_count + excluded.recall_count,
      last_recalled_at = greatest(u.last_recalled_at, excluded.last_recalled_at)`.execute(db)
}
