import type { AuditEvent } from '../../store/audit.js'
import type { Keystone } from '../../store/keystones/keystones.js'

type Facts = Pick<Keystone, 'docId' | 'version' | 'scope' | 'weight' | 'fleetId' | 'agentId'>

/** Returns the audit event of a change of a rule, with the version that the change created. `fields` are the changed ones. */
export function keystoneEvent(
  action: 'keystone.created' | 'keystone.updated' | 'keystone.deleted',
  { docId, version, scope, weight, fleetId, agentId }: Facts,
  fields: readonly string[] | null = null,
): AuditEvent {
  const details = { version, scope, weight, fleet_id: fleetId, agent_id: agentId, ...(fields && { fields }) }
  return { action, subject: { kind: 'keystone', id: docId }, details }
}
