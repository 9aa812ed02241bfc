import type { AuditRow } from '../../store/audit.js'
import type { components } from '../../contract/types.js'
import { presentActor } from './present-actor.js'

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
