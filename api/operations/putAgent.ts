import { putAgent as replaceAgent } from '../../store/tenants/agents.js'
import { auditAgent } from '../agents/audit-agent.js'
import { presentAgent } from '../agents/present-agent.js'
import type { Operation } from '../operation.js'

export const putAgent: Operation<'putAgent'> = async ({ store, clock }, caller, { params, body }) => {
  const fields = {
    displayName: body.display_name ?? null,
    fleetId: body.fleet_id ?? null,
    trust: body.trust_level ?? 1,
  }
  const agent = await store.transact(caller, async (writer) => {
    const agent = await replaceAgent(writer, params.agent_id, fields)
    await auditAgent(writer, agent, Object.keys(body), new Date(clock.now()))
    return agent
  })
  return { status: 200, body: presentAgent(agent) }
}
