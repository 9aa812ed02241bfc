import type { Principal } from '../../domain/principal.js'
import type { Viewer } from '../../domain/visibility.js'
import { TrustError } from '../../runtime/errors.js'

/** Throws TrustError below the trust that is required; `message` says what it is required for, where the level alone would not. */
export function requireTrust({ trust }: { readonly trust: number }, required: number, message?: string): void {
  if (trust < required) throw new TrustError(required, trust, message)
}

/** Throws TrustError when a caller below trust 2 asks for another fleet than its own. The request is never silently narrowed instead. */
export function requireFleets(principal: Principal, fleetIds: readonly string[]): void {
  if (fleetIds.some((fleetId) => fleetId !== principal.fleetId))
    requireTrust(principal, 2, 'Reading another fleet needs trust level 2.')
}

/** Throws TrustError for another fleet's document below trust 2. A document without a fleet is open to everyone. */
export function requireOwnFleet(viewer: Pick<Viewer, 'fleetId' | 'trust'>, of: string | null): void {
  if (of !== null && of !== viewer.fleetId)
    requireTrust(viewer, 2, "Writing another fleet's documents needs trust level 2.")
}

/**
 * Returns the error for changing another agent's memory below trust 3; null when the caller may change it. A memory without an agent
 * belongs to every credential that acts for none.
 */
export function foreignFault(
  { agentId, trust }: Pick<Viewer, 'agentId' | 'trust'>,
  row: { readonly agentId: string | null },
): TrustError | null {
  return row.agentId === agentId || trust >= 3 ? null : new TrustError(3, trust)
}
