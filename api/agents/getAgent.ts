import { NotFoundError } from '../../runtime/errors.js'
import { findAgent } from '../../store/tenants/agents.js'
import { presentAgent } from './present-agent.js'
import type { Operation } from '../operation.js'
import { requireTrust } from '../../services/access/trust.js'

export const getAgent: Operation<'getAgent'> = async ({ store }, caller, { params }) => {
  if (params.agent_id !== caller.agentId) requireTrust(caller, 1)
  const body = await store.read(caller, async (reader) => {
    const agent = await findAgent(reader, params.agent_id)
    return agent && presentAgent(reader, caller, agent)
  })
  if (!body) throw new NotFoundError('Agent')
  return { status: 200, body }
}
