import type { ListedKey } from '../../store/tenants/credentials.js'
import type { components } from '../../contract/types.js'

/** Returns the contract's record of a key, without its text. */
export function presentKey(key: ListedKey): components['schemas']['KeyFields'] {
  return {
    key_id: key.keyId,
    tenant_id: key.tenantId,
    kind: key.kind,
    agent_id: key.agentId,
    fleet_id: key.fleetId,
    trust_level: key.trust,
    label: key.label,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
