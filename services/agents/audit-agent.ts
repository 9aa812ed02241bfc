import type { AgentChange } from '../../store/tenants/agents.js'
import { audit } from '../../store/audit.js'
import type { Writer } from '../../store/store.js'

/** Writes the audit event of a changed agent: the fields that the request named, and fleet and trust before and after. */
export async function auditAgent(
  writer: Writer,
  { before, agent }: AgentChange,
  named: readonly string[],
  at: Date,
): Promise<void> {
  // The creation of an agent is audited where it is created.
  if (before === null) return
  const fields = named.filter((field) => field !== 'tenant_id')
  const [from, to] = [before, agent].map(({ fleetId, trust }) => ({ fleet_id: fleetId, trust_level: trust }))
  const subject = { kind: 'agent', id: agent.agentId } as const
  await audit(writer, at, [{ action: 'agent.updated', subject, details: { fields, from, to } }])
}
