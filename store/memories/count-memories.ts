import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { equal } from '../conditions.js'
import type { Reader } from '../store.js'
import { visibleTo } from './audience.js'

/** Whose rows are counted: what an audience may see, one fleet's or one agent's rows, or the whole tenant's. */
export type CountedScope =
  | { readonly kind: 'visible'; readonly audience: Audience }
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'fleet'; readonly fleetId: string }
  | { readonly kind: 'all' }

export interface CountFilter {
  readonly fleetId?: string | undefined
  readonly agentId?: string | undefined
  readonly memoryType?: MemoryType | undefined
  readonly status?: MemoryStatus | undefined
  readonly includeDeleted: boolean
}

export interface MemoryCount {
  readonly memoryType: MemoryType
  readonly agentId: string | null
  readonly status: MemoryStatus
  readonly count: number
}

/**
 * Exact counts from the compacted counters and the open deltas, read in one statement so that a compaction between them
 * neither hides nor doubles anything. Its cost grows with the number of kinds of rows, not with the rows.
 */
export async function countMemories(reader: Reader, scope: CountedScope, filter: CountFilter): Promise<MemoryCount[]> {
  const conditions = [
    scopeOf(scope),
    ...equal(sql`m.fleet_id`, filter.fleetId),
    ...equal(sql`m.agent_id`, filter.agentId),
    ...equal(sql`m.memory_type`, filter.memoryType),
    ...equal(sql`m.status`, filter.status),
    ...(filter.includeDeleted ? [] : [sql`m.status <> 'deleted'`]),
  ]
  const { rows } = await sql<MemoryCount>`
    select m.memory_type as "memoryType", m.agent_id as "agentId", m.status, sum(m.count)::bigint as count
    from (
      select fleet_id, agent_id, visibility, memory_type, status, count from memory_counters
      where tenant_id = ${reader.tenantId}
      union all
      select fleet_id, agent_id, visibility, memory_type, status, delta from memory_counter_deltas
      where tenant_id = ${reader.tenantId}
    ) m where ${sql.join(conditions, sql` and `)}
    group by m.memory_type, m.agent_id, m.status having sum(m.count) <> 0`.execute(reader.db)
  return rows
}

function scopeOf(scope: CountedScope): RawBuilder<unknown> {
  switch (scope.kind) {
    case 'visible':
      return visibleTo(scope.audience)
    case 'agent':
      return sql`m.agent_id = ${scope.agentId}`
    case 'fleet':
      return sql`m.fleet_id = ${scope.fleetId}`
    case 'all':
      return sql`true`
  }
}
