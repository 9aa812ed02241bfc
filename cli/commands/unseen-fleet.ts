import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

/**
 * Says on stderr where the key will not find what it wrote for a fleet, unless it asks: a tenant key of another fleet is no
 * author, as an agent is, which sees its own everywhere.
 */
export async function reportUnseenFleet(service: ServiceClient, fleet: string | undefined): Promise<void> {
  if (fleet === undefined || service.isAdmin) return
  const { key_kind, fleet_id } = await service.whoami()
  if (key_kind === 'agent' || fleet_id === null || fleet_id === fleet) return
  console.error(printable(`This key is of fleet ${fleet_id}. To find these memories with it, give --fleet ${fleet}.`))
}
