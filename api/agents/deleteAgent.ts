import { NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { deleteAgent as removeAgent } from '../../store/tenants/agents.js'
import type { Operation } from '../operation.js'

export const deleteAgent: Operation<'deleteAgent'> = async ({ store, clock }, caller, { params }) => {
  const at = new Date(clock.now())
  await store.transact(caller, async (writer) => {
    const deleted = await removeAgent(writer, params.agent_id, at)
    if (!deleted) throw new NotFoundError('Agent')
    const details = { fleet_id: deleted.fleetId, trust_level: deleted.trust }
    await audit(writer, at, [{ action: 'agent.deleted', subject: { kind: 'agent', id: params.agent_id }, details }])
  })
  return { status: 204 }
}
