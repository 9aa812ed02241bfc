import { storedType } from '../../domain/memory-draft.js'
import type { Principal } from '../../domain/principal.js'
import { audienceOf } from '../../domain/visibility.js'
import { InvalidRequestError } from '../../http/errors.js'
import { type CountedScope, countMemories } from '../../store/memories/count-memories.js'
import { requireFleets, requireTrust } from '../../services/access/trust.js'
import type { Operation } from '../operation.js'

export const getMemoryStats: Operation<'getMemoryStats'> = async (context, principal, { query }) => {
  const scope = scopeOf(principal, query)
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

/**
 * Returns the scope to count. Throws 403 below the trust that the contract demands for it, and 422 for a scope that the caller does not
 * have. `scope_agent` memories of other agents are counted in the scopes `fleet` and `all`, and never shown.
 */
function scopeOf(
  principal: Principal,
  query: { scope?: 'agent' | 'fleet' | 'all' | undefined; fleet_id?: string | undefined },
): CountedScope {
  const requestedFleets = query.fleet_id === undefined ? [] : [query.fleet_id]
  if (query.scope === undefined) {
    requireFleets(principal, requestedFleets)
    return { kind: 'visible', audience: audienceOf(principal, requestedFleets) }
  }
  const isForeign = requestedFleets.some((fleetId) => fleetId !== principal.fleetId)
  requireTrust(principal, query.scope === 'all' || isForeign ? 2 : 1)
  if (query.scope === 'all') return { kind: 'all' }
  if (query.scope === 'agent') {
    if (principal.agentId === null)
      throw InvalidRequestError.at(['query', 'scope'], 'The scope agent needs an acting agent.')
    return { kind: 'agent', agentId: principal.agentId }
  }
  const fleetId = query.fleet_id ?? principal.fleetId
  if (fleetId === null) throw InvalidRequestError.at(['query', 'scope'], 'The scope fleet needs a fleet: set fleet_id.')
  return { kind: 'fleet', fleetId }
}
