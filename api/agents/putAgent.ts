import { putAgent as replaceAgent } from '../../store/tenants/agents.js'
import { auditAgent } from '../../services/agents/audit-agent.js'
import { presentAgent } from './present-agent.js'
import type { Operation } from '../operation.js'

export const putAgent: Operation<'putAgent'> = async ({ store, clock }, caller, { params, body }) => {
  const fields = {
    displayName: body.display_name ?? null,
    fleetId: body.fleet_id ?? null,
    trust: body.trust_level,
  }
  const record = await store.transact(caller, async (writer) => {
    const change = await replaceAgent(writer, params.agent_id, fields)
    await auditAgent(writer, change, Object.keys(body), new Date(clock.now()))
    return presentAgent(writer, caller, change.agent)
  })
  return { status: 200, body: record }
}
