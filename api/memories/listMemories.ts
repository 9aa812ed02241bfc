import { storedType } from '../../domain/memory-draft.js'
import { audienceOf } from '../../domain/visibility.js'
import { listMemories as selectMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import { requireFleets, requireTrust } from '../../services/access/trust.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'
import { dateOf, readPage } from '../../http/pages.js'

type Sort = 'created_at' | 'weight' | 'recall_count'
interface Position {
  readonly value: string | number
  readonly id: string
}

export const listMemories: Operation<'listMemories'> = async (context, principal, { query }) => {
  if (query.include_deleted) requireTrust(principal, 3)
  const fleets = query.fleet_id === undefined ? [] : [query.fleet_id]
  requireFleets(principal, fleets)

  const { tenantId } = principal
  const page = readPage<Position>(context.cursorSecret, { tenant: tenantId, operation: 'listMemories' }, query)
  const rows = await context.store.read(principal, (reader) =>
    selectMemories(reader, audienceOf(principal, fleets), {
      agentId: query.agent_id,
      fleetId: query.fleet_id,
      memoryType: query.memory_type && storedType(query.memory_type),
      status: query.status,
      visibility: query.visibility,
      runId: query.run_id,
      createdAfter: dateOf(query.created_after),
      createdBefore: dateOf(query.created_before),
      includeDeleted: query.include_deleted,
      sort: query.sort,
      order: query.order,
      after: page.after,
      limit: page.rows,
    }),
  )
  const { shown, next } = page.cut(rows, (row) => positionOf(row, query.sort))
  return { status: 200, body: { items: shown.map((row) => presentMemory(tenantId, row)), next_cursor: next } }
}

function positionOf(row: MemoryRow, sort: Sort): Position {
  const value = { created_at: row.createdAt.toISOString(), weight: row.weight, recall_count: row.recallCount }[sort]
  return { value, id: row.id }
}
