import type { AuditRow } from '../../store/audit.js'
import type { components } from '../../contract/types.js'
import type { Actor } from '../../store/store.js'

export function presentEvent(tenantId: string, row: AuditRow): components['schemas']['AuditEvent'] {
  return {
    id: String(row.id),
    tenant_id: tenantId,
    at: row.at.toISOString(),
    actor: presentActor(row.actor),
    action: row.action,
    subject: { kind: row.subjectKind, id: row.subjectId },
    details: row.details,
  }
}

/** Returns the contract's record of an actor. */
export function presentActor({ kind, agentId, keyId }: Actor): components['schemas']['Actor'] {
  return { kind, agent_id: agentId, key_id: keyId }
}
