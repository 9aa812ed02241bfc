import type { Principal } from '../../domain/principal.js'
import { countAgentRecalls } from '../../store/recall-statistics.js'
import { type Agent, countAgentMemories, readLastWrites } from '../../store/tenants/agents.js'
import type { Reader } from '../../store/store.js'
import type { components } from '../../contract/types.js'

type AgentRecord = components['schemas']['Agent']

/** Returns the contract's records of agents. Another agent's writes are shown from trust 2 on, like its statistics, and its recalls at trust 3. */
export async function presentAgents(
  reader: Reader,
  caller: Principal,
  agents: readonly Agent[],
): Promise<AgentRecord[]> {
  const isShown = ({ agentId }: Agent, least: number) => caller.trust >= least || agentId === caller.agentId
  const shownFrom = (least: number) => agents.filter((agent) => isShown(agent, least)).map(({ agentId }) => agentId)
  const [counts, writes, recalls] = await Promise.all([
    countAgentMemories(reader, shownFrom(2)),
    readLastWrites(reader, shownFrom(2)),
    countAgentRecalls(reader, shownFrom(3)),
  ])
  return agents.map((agent) => ({
    tenant_id: agent.tenantId,
    agent_id: agent.agentId,
    display_name: agent.displayName,
    fleet_id: agent.fleetId,
    trust_level: agent.trust,
    memory_count: isShown(agent, 2) ? (counts.get(agent.agentId) ?? 0) : null,
    last_write_at: writes.get(agent.agentId)?.toISOString() ?? null,
    recall_count: isShown(agent, 3) ? (recalls.get(agent.agentId)?.count ?? 0) : null,
    last_recall_at: recalls.get(agent.agentId)?.lastAt.toISOString() ?? null,
    created_at: agent.createdAt.toISOString(),
    last_seen_at: agent.lastSeenAt?.toISOString() ?? null,
  }))
}

/** Returns the contract's record of an agent, see `presentAgents`. */
export async function presentAgent(reader: Reader, caller: Principal, agent: Agent): Promise<AgentRecord> {
  const [record] = await presentAgents(reader, caller, [agent])
  return record!
}
