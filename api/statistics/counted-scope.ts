import type { Principal } from '../../domain/principal.js'
import { audienceOf } from '../../domain/visibility.js'
import { InvalidRequestError } from '../../http/errors.js'
import type { CountedScope } from '../../store/memories/count-memories.js'
import { requireFleets, requireTrust } from '../../services/access/trust.js'

/**
 * Returns the scope to count. Throws 403 below the trust that the contract demands for it, and 422 for a scope that the caller does not
 * have. `scope_agent` memories of other agents are counted in the scopes `fleet` and `all`, and never shown.
 */
export function countedScope(
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
