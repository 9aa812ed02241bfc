import { audit } from '../audit.js'
import type { Writer } from '../store.js'

/**
 * Revokes one key, or all keys of an agent, and audits each. A key that was revoked before keeps its time and is not
 * audited again.
 */
export async function revokeKeys(
  writer: Writer,
  which: { readonly keyId: string } | { readonly agentId: string },
  at: Date,
): Promise<void> {
  const [column, value] = 'keyId' in which ? (['key_id', which.keyId] as const) : (['agent_id', which.agentId] as const)
  const revoked = await writer.db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('tenant_id', '=', writer.tenantId)
    .where(column, '=', value)
    .where('revoked_at', 'is', null)
    .returning(['key_id', 'kind', 'agent_id'])
    .execute()
  const events = revoked.map(({ key_id: id, kind, agent_id }) => {
    return { action: 'key.revoked', subject: { kind: 'key', id }, details: { kind, agent_id } } as const
  })
  await audit(writer, at, events)
}
