import { InvalidArgumentsError, NotFoundError } from '../../runtime/errors.js'
import { patchAgent as changeAgent } from '../../store/tenants/agents.js'
import { auditAgent } from '../../services/agents/audit-agent.js'
import { presentAgent } from './present-agent.js'
import type { Operation } from '../operation.js'

export const patchAgent: Operation<'patchAgent'> = async ({ store, clock }, caller, { params, body }) => {
  const fields = {
    ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
    ...(body.fleet_id === undefined ? {} : { fleetId: body.fleet_id }),
    ...(body.trust_level === undefined ? {} : { trust: body.trust_level }),
  }
  if (Object.keys(fields).length === 0)
    throw InvalidArgumentsError.at([], 'Name at least one of display_name, fleet_id and trust_level.', 'missing')
  const record = await store.transact(caller, async (writer) => {
    const change = await changeAgent(writer, params.agent_id, fields)
    if (!change) throw new NotFoundError('Agent')
    await auditAgent(writer, change, Object.keys(body), new Date(clock.now()))
    return presentAgent(writer, caller, change.agent)
  })
  return { status: 200, body: record }
}
