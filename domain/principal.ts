import type { Viewer } from './visibility.js'

/**
 * Who acts, derived from the credential alone. `agentId` is the acting agent: the one that an agent key is bound to, or
 * the registered agent that a tenant key names. `trust` is then the lower of the key's and the agent's, `fleetId` the
 * agent's.
 */
export interface Principal extends Viewer {
  readonly tenantId: string
  readonly kind: 'tenant' | 'agent' | 'admin'
  /** Null for the admin credential. */
  readonly keyId: string | null
}
