import { NotFoundError } from '../../runtime/errors.js'
import { deleteAgent as removeAgent } from '../../store/agents.js'
import type { Operation } from '../operation.js'

export const deleteAgent: Operation<'deleteAgent'> = async ({ store, clock }, caller, { params }) => {
  const at = new Date(clock.now())
  const deleted = await store.transact(caller, (writer) => removeAgent(writer, params.agent_id, at))
  if (!deleted) throw new NotFoundError('Agent')
  return { status: 204 }
}
