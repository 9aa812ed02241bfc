import type { Viewer } from './visibility.js'

/**
 * Who acts, made from the credential alone. `agentId` is the acting agent: an agent key's bound one, or the registered agent
 * that a tenant key names; `trust` is then the lower of key and agent, `fleetId` the agent's.
 */
export interface Principal extends Viewer {
  readonly tenantId: string
  readonly kind: 'tenant' | 'agent' | 'admin'
  /** Null for the admin credential. */
  readonly keyId: string | null
}
