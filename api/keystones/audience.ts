import type { KeystoneAudience } from '../../domain/keystones/keystone.js'
import type { Principal } from '../../domain/principal.js'

interface Asked {
  readonly fleet_id?: string | undefined
  readonly agent_id?: string | undefined
}

/** Whose rules a caller gets: its own fleet's and agent's, unless it asks for others. Nobody is refused any. */
export function audienceOf(principal: Principal, asked: Asked = {}): KeystoneAudience {
  return { fleetId: asked.fleet_id ?? principal.fleetId, agentId: asked.agent_id ?? principal.agentId }
}
