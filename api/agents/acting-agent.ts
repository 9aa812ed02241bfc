import type { Viewer } from '../../domain/visibility.js'
import { TrustError } from '../../runtime/errors.js'

/** Throws 403 when a tenant key of one fleet names an agent of another fleet below trust 2. Every key may name an agent without a fleet. */
export function requireOwnFleetsAgent(
  key: Pick<Viewer, 'fleetId' | 'trust'>,
  agent: { readonly fleetId: string | null },
): void {
  const isForeign = key.fleetId !== null && agent.fleetId !== null && agent.fleetId !== key.fleetId
  if (isForeign && key.trust < 2)
    throw new TrustError(2, key.trust, "Acting for another fleet's agent needs trust level 2.")
}
