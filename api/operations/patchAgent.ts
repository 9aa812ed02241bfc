import { InvalidArgumentsError, NotFoundError } from '../../runtime/errors.js'
import { patchAgent as changeAgent } from '../../store/tenants/agents.js'
import { auditAgent } from '../agents/audit-agent.js'
import { presentAgent } from '../agents/present-agent.js'
import type { Operation } from '../operation.js'

export const patchAgent: Operation<'patchAgent'> = async ({ store, clock }, caller, { params, body }) => {
  const fields = {
    ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
    ...(body.fleet_id === undefined ? {} : { fleetId: body.fleet_id }),
    ...(body.trust_level === undefined ? {} : { trust: body.trust_level }),
  }
  if (Object.keys(fields).length === 0)
    throw InvalidArgumentsError.at(['body'], 'Name at least one of display_name, fleet_id and trust_level.', 'missing')
  const agent = await store.transact(caller, async (writer) => {
    const agent = await changeAgent(writer, params.agent_id, fields)
    if (agent) await auditAgent(writer, agent, Object.keys(body), new Date(clock.now()))
    return agent
  })
  if (!agent) throw new NotFoundError('Agent')
  return { status: 200, body: presentAgent(agent) }
}
