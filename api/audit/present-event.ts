import type { AuditRow } from '../../store/audit.js'
import type { components } from '../contract.gen.js'

export function presentEvent(tenantId: string, row: AuditRow): components['schemas']['AuditEvent'] {
  return {
    id: String(row.id),
    tenant_id: tenantId,
    at: row.at.toISOString(),
    actor: { kind: row.actor.kind, agent_id: row.actor.agentId, key_id: row.actor.keyId },
    action: row.action,
    subject: { kind: row.subjectKind, id: row.subjectId },
    details: row.details,
  }
}
