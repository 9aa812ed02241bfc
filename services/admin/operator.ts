import type { Actor } from '../../store/store.js'

/** The holder of the admin credential, acting on one tenant. */
export type Operator = Actor & { readonly tenantId: string; readonly kind: 'admin' }

export function operatorOf(tenantId: string): Operator {
  return { tenantId, kind: 'admin', agentId: null, keyId: null }
}
