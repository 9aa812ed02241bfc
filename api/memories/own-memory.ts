import type { Principal } from '../../domain/principal.js'
import { TrustError } from '../../runtime/errors.js'

/**
 * One's own memories may be changed at trust 1, others' at 3. A row of no agent is the own one of a credential that acts for
 * none.
 */
export function foreignFault(principal: Principal, row: { readonly agentId: string | null }): TrustError | null {
  const isOwn = row.agentId === principal.agentId
  return isOwn || principal.trust >= 3 ? null : new TrustError(3, principal.trust)
}
