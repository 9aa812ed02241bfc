import { storedType } from '../../domain/memory-draft.js'
import { countMemories } from '../../store/memories/count-memories.js'
import { countedScope } from './counted-scope.js'
import type { Operation } from '../operation.js'

export const getMemoryStats: Operation<'getMemoryStats'> = async (context, principal, { query }) => {
  const scope = countedScope(principal, query)
  const { byKind, byAgent } = await context.store.read(principal, (reader) =>
    countMemories(reader, scope, {
      fleetId: query.fleet_id,
      agentId: query.agent_id,
      memoryType: query.memory_type && storedType(query.memory_type),
      status: query.status,
      includeDeleted: query.include_deleted,
    }),
  )
  return {
    status: 200,
    body: {
      total: byKind.reduce((sum, { count }) => sum + count, 0),
      by_type: sumBy(byKind, ({ memoryType }) => memoryType),
      by_agent: sumBy(byAgent, ({ agentId }) => agentId ?? '(none)'),
      by_status: sumBy(byKind, ({ status }) => status),
    },
  }
}

function sumBy<Row extends { readonly count: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Record<string, number> {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.count)
  return Object.fromEntries(sums)
}
