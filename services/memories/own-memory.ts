import type { Principal } from '../../domain/principal.js'
import { TrustError } from '../../runtime/errors.js'

/**
 * Returns the error for changing another agent's memory below trust 3; null when the caller may change it. A memory without an agent
 * belongs to every credential that acts for none.
 */
export function foreignFault(principal: Principal, row: { readonly agentId: string | null }): TrustError | null {
  const isOwn = row.agentId === principal.agentId
  return isOwn || principal.trust >= 3 ? null : new TrustError(3, principal.trust)
}
