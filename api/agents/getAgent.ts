import { NotFoundError, TrustError } from '../../runtime/errors.js'
import { findAgent } from '../../store/tenants/agents.js'
import { presentAgent } from './present-agent.js'
import type { Operation } from '../operation.js'

export const getAgent: Operation<'getAgent'> = async ({ store }, caller, { params }) => {
  if (caller.trust < 1 && params.agent_id !== caller.agentId) throw new TrustError(1, caller.trust)
  const body = await store.read(caller, async (reader) => {
    const agent = await findAgent(reader, params.agent_id)
    return agent && presentAgent(reader, caller, agent)
  })
  if (!body) throw new NotFoundError('Agent')
  return { status: 200, body }
}
