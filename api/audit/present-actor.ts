import type { Actor } from '../../store/store.js'
import type { components } from '../../contract/types.js'

/** Returns the contract's record of an actor. */
export function presentActor({ kind, agentId, keyId }: Actor): components['schemas']['Actor'] {
  return { kind, agent_id: agentId, key_id: keyId }
}
