import { mayActFor, TRUST_TO_ACT_FOR_OTHER_FLEETS as ACTING_TRUST } from '../domain/trust.js'
import type { Viewer } from '../domain/visibility.js'
import { TrustError } from './errors.js'

/** Throws TrustError when a tenant key of one fleet names an agent of another fleet below trust 2. Every key may name an agent without a fleet. */
export function requireOwnFleetsAgent(
  key: Pick<Viewer, 'fleetId' | 'trust'>,
  agent: { readonly fleetId: string | null },
): void {
  if (!mayActFor(key, agent))
    throw new TrustError(ACTING_TRUST, key.trust, "Acting for another fleet's agent needs trust level 2.")
}
