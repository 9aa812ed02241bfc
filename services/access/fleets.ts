import type { Principal } from '../../domain/principal.js'
import { TrustError } from '../../runtime/errors.js'

/** Throws TrustError when a caller below trust 2 asks for another fleet than its own. The request is never silently narrowed instead. */
export function requireFleets(principal: Principal, fleetIds: readonly string[]): void {
  const foreign = fleetIds.some((fleetId) => fleetId !== principal.fleetId)
  if (foreign && principal.trust < 2)
    throw new TrustError(2, principal.trust, 'Reading another fleet needs trust level 2.')
}
