import type { Agent } from '../../store/tenants/agents.js'
import type { components } from '../contract.gen.js'

/** The contract's record of an agent. */
export function presentAgent(agent: Agent): components['schemas']['Agent'] {
  return {
    tenant_id: agent.tenantId,
    agent_id: agent.agentId,
    display_name: agent.displayName,
    fleet_id: agent.fleetId,
    trust_level: agent.trust,
    created_at: agent.createdAt.toISOString(),
    last_seen_at: agent.lastSeenAt?.toISOString() ?? null,
  }
}
