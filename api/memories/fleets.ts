import type { Principal } from '../../domain/principal.js'
import { TrustError } from '../../runtime/errors.js'

/** Asking for another fleet than one's own is refused below trust 2, never silently narrowed. */
export function requireFleets(principal: Principal, fleetIds: readonly string[]): void {
  const foreign = fleetIds.some((fleetId) => fleetId !== principal.fleetId)
  if (foreign && principal.trust < 2)
    throw new TrustError(2, principal.trust, 'Reading another fleet needs trust level 2.')
}
