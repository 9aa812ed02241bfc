import { NotFoundError } from '../../runtime/errors.js'
import { findFleet } from '../../store/tenants/fleets.js'
import { presentFleet } from './present-fleet.js'
import { requireFleets, requireTrust } from '../../services/access/trust.js'
import type { Operation } from '../operation.js'

export const getFleet: Operation<'getFleet'> = async ({ store }, caller, { params }) => {
  requireFleets(caller, [params.fleet_id])
  requireTrust(caller, 1)
  const fleet = await store.read(caller, (reader) => findFleet(reader, params.fleet_id))
  if (!fleet) throw new NotFoundError('Fleet')
  return { status: 200, body: presentFleet(caller.tenantId, fleet) }
}
