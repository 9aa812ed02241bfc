import { TrustError } from '../../runtime/errors.js'
import type { Viewer } from '../../domain/visibility.js'

/** Throws TrustError for another fleet's document below trust 2. A document without a fleet is open to everyone. */
export function requireOwnFleet({ fleetId, trust }: Pick<Viewer, 'fleetId' | 'trust'>, of: string | null): void {
  if (of !== null && of !== fleetId && trust < 2)
    throw new TrustError(2, trust, "Writing another fleet's documents needs trust level 2.")
}
