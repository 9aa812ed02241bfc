import type { Fleet } from '../../store/tenants/fleets.js'
import type { components } from '../../contract/types.js'

/** Returns the contract's record of a fleet. */
export function presentFleet(tenantId: string, fleet: Fleet): components['schemas']['Fleet'] {
  return {
    tenant_id: tenantId,
    fleet_id: fleet.fleetId,
    agent_count: fleet.agents,
    memory_count: fleet.memories,
  }
}
