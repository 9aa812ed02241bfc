import { NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { deleteAgent as removeAgent } from '../../store/tenants/agents.js'
import type { Operation } from '../operation.js'

export const deleteAgent: Operation<'deleteAgent'> = async ({ store, clock }, caller, { params }) => {
  const at = new Date(clock.now())
  const deleted = await store.transact(caller, async (writer) => {
    const deleted = await removeAgent(writer, params.agent_id, at)
    const subject = { kind: 'agent', id: params.agent_id } as const
    if (deleted) await audit(writer, at, [{ action: 'agent.deleted', subject, details: {} }])
    return deleted
  })
  if (!deleted) throw new NotFoundError('Agent')
  return { status: 204 }
}
