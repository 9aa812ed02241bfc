import type { KeystoneAudience } from '../../domain/keystones/keystone.js'
import type { Principal } from '../../domain/principal.js'

interface RequestedAudience {
  readonly fleet_id?: string | undefined
  readonly agent_id?: string | undefined
}

/** Returns the audience whose rules a caller gets: its own fleet and agent, unless it asks for others. Every caller may read all rules. */
export function keystoneAudienceOf(principal: Principal, requested: RequestedAudience = {}): KeystoneAudience {
  return { fleetId: requested.fleet_id ?? principal.fleetId, agentId: requested.agent_id ?? principal.agentId }
}
