import type { AgentChange } from '../../store/tenants/agents.js'
import { audit } from '../../store/audit.js'
import type { Writer } from '../../store/store.js'

/** Notes a change of an agent by the fields that the request named, with the fleet and the trust that it had and has now. */
export async function auditAgent(
  writer: Writer,
  { before, agent }: AgentChange,
  named: readonly string[],
  at: Date,
): Promise<void> {
  // A new one is noted where it is made.
  if (before === null) return
  const fields = named.filter((field) => field !== 'tenant_id')
  const [from, to] = [before, agent].map(({ fleetId, trust }) => ({ fleet_id: fleetId, trust_level: trust }))
  const subject = { kind: 'agent', id: agent.agentId } as const
  await audit(writer, at, [{ action: 'agent.updated', subject, details: { fields, from, to } }])
}
