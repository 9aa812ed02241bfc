import type { Agent } from '../../store/tenants/agents.js'
import { audit } from '../../store/audit.js'
import type { Writer } from '../../store/store.js'

/** Notes a change of an agent by the fields that the request named, with the fleet and the trust that the agent has now. */
export async function auditAgent(writer: Writer, agent: Agent, named: readonly string[], at: Date): Promise<void> {
  const fields = named.filter((field) => field !== 'tenant_id')
  const details = { fields, fleet_id: agent.fleetId, trust_level: agent.trust }
  await audit(writer, at, [{ action: 'agent.updated', subject: { kind: 'agent', id: agent.agentId }, details }])
}
