import { sql } from 'kysely'
import type { MemoryStatus } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import type { Writer } from '../store.js'
import { visibleTo } from './audience.js'

export interface LockedMemory {
  readonly id: string
  readonly agentId: string | null
  readonly status: MemoryStatus
}

/**
 * Locks visible rows, in the order of their ids, until the transaction ends, and returns them; leaves out rows that are
 * hidden, deleted or do not exist.
 */
export async function lockMemories(
  writer: Writer,
  audience: Audience,
  ids: readonly string[],
): Promise<Map<string, LockedMemory>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<LockedMemory>`
    select id, agent_id as "agentId", status from memories m
    where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[]) and status <> 'deleted'
      and ${visibleTo(audience)}
    order by id for update`.execute(writer.db)
  return new Map(rows.map((row) => [row.id, row]))
}
