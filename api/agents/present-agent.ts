import type { Principal } from '../../domain/principal.js'
import { type Agent, countAgentMemories } from '../../store/tenants/agents.js'
import type { Reader } from '../../store/store.js'
import type { components } from '../../contract/types.js'

type AgentRecord = components['schemas']['Agent']

/** Returns the contract's records of agents. The memory count of another agent is shown from trust 2 on, like its statistics. */
export async function presentAgents(
  reader: Reader,
  caller: Principal,
  agents: readonly Agent[],
): Promise<AgentRecord[]> {
  const isCounted = ({ agentId }: Agent) => caller.trust >= 2 || agentId === caller.agentId
  const counted = agents.filter(isCounted).map(({ agentId }) => agentId)
  const counts = counted.length === 0 ? new Map<string, number>() : await countAgentMemories(reader, counted)
  return agents.map((agent) => ({
    tenant_id: agent.tenantId,
    agent_id: agent.agentId,
    display_name: agent.displayName,
    fleet_id: agent.fleetId,
    trust_level: agent.trust,
    memory_count: isCounted(agent) ? (counts.get(agent.agentId) ?? 0) : null,
    created_at: agent.createdAt.toISOString(),
    last_seen_at: agent.lastSeenAt?.toISOString() ?? null,
  }))
}

/** Returns the contract's record of an agent, see `presentAgents`. */
export async function presentAgent(reader: Reader, caller: Principal, agent: Agent): Promise<AgentRecord> {
  const [record] = await presentAgents(reader, caller, [agent])
  return record!
}
