import { sql } from 'kysely'
import type { MemoryStatus } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { anyOf } from '../conditions.js'
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
  const rows = await writer.db
    .selectFrom('memories as m')
    .select(['id', 'agent_id as agentId', 'status'])
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', anyOf(ids))
    .where('status', '<>', sql.lit('deleted'))
    .where(visibleTo(audience))
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** A memory at one version. */
export interface MemoryVersion {
  readonly memoryId: string
  readonly version: number
}

/**
 * Locks those of the memories that are still at these versions against changes until the transaction ends, in the order of their ids, and
 * returns their ids: what is written of them then is not of a text that has changed, or of a memory that was deleted, meanwhile.
 */
export async function lockVersions({ tenantId, db }: Writer, versions: readonly MemoryVersion[]): Promise<Set<string>> {
  const given = versions.map(({ memoryId, version }) => ({ id: memoryId, version }))
  const { rows } = await sql<{ id: string }>`
    select m.id from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, version int)
      join memories m on m.tenant_id = ${tenantId} and m.id = given.id and m.version = given.version
    order by m.id for no key update of m`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
