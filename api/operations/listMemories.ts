import { audienceOf } from '../../domain/visibility.js'
import { TrustError } from '../../runtime/errors.js'
import { listMemories as selectMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import { readCursor, signCursor } from '../cursors.js'
import { requireFleets } from '../memories/fleets.js'
import { presentMemory } from '../memories/present-memory.js'
import type { Operation } from '../operation.js'

type Sort = 'created_at' | 'weight' | 'recall_count'
interface Position {
  readonly value: string | number
  readonly id: string
}

export const listMemories: Operation<'listMemories'> = async (context, principal, { query }) => {
  if (query.include_deleted && principal.trust < 3) throw new TrustError(3, principal.trust)
  const fleets = query.fleet_id === undefined ? [] : [query.fleet_id]
  requireFleets(principal, fleets)

  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { tenant: principal.tenantId, operation: 'listMemories', ...filters }
  const after = cursor === undefined ? undefined : readCursor<Position>(context.cursorSecret, binding, cursor)
  const rows = await context.store.read(principal, (reader) =>
    selectMemories(reader, audienceOf(principal, fleets), {
      agentId: query.agent_id,
      fleetId: query.fleet_id,
      memoryType: query.memory_type === 'semantic' ? 'fact' : query.memory_type,
      status: query.status,
      visibility: query.visibility,
      runId: query.run_id,
      createdAfter: dateOf(query.created_after),
      createdBefore: dateOf(query.created_before),
      includeDeleted: query.include_deleted,
      sort: query.sort,
      order: query.order,
      after,
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? positionOf(items.at(-1)!, query.sort) : null
  return {
    status: 200,
    body: {
      items: items.map((row) => presentMemory(principal.tenantId, row)),
      next_cursor: last && signCursor(context.cursorSecret, binding, last),
    },
  }
}

function positionOf(row: MemoryRow, sort: Sort): Position {
  const value = { created_at: row.createdAt.toISOString(), weight: row.weight, recall_count: row.recallCount }[sort]
  return { value, id: row.id }
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
