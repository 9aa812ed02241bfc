import { NotFoundError, TrustError } from '../../runtime/errors.js'
import { findFleet } from '../../store/tenants/fleets.js'
import { presentFleet } from './present-fleet.js'
import { requireFleets } from '../../services/access/fleets.js'
import type { Operation } from '../operation.js'

export const getFleet: Operation<'getFleet'> = async ({ store }, caller, { params }) => {
  requireFleets(caller, [params.fleet_id])
  if (caller.trust < 1) throw new TrustError(1, caller.trust)
  const fleet = await store.read(caller, (reader) => findFleet(reader, params.fleet_id))
  if (!fleet) throw new NotFoundError('Fleet')
  return { status: 200, body: presentFleet(caller.tenantId, fleet) }
}
