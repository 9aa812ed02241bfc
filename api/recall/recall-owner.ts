import type { Principal } from '../../domain/principal.js'
import type { RecallOwner } from '../../store/recalls.js'

/** Returns whose recalls a caller sees: everybody's at trust 3, its own below. */
export function recallOwner(principal: Principal): RecallOwner {
  if (principal.trust >= 3) return null
  return principal.agentId === null ? { keyId: principal.keyId } : { agentId: principal.agentId }
}
