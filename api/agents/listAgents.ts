import { listAgents as selectAgents } from '../../store/tenants/agents.js'
import { presentAgents } from './present-agent.js'
import { requireFleets } from '../../services/access/trust.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

/** Lists, without `fleet_id`, the agents of the caller's fleet and those without one; all agents from trust 2 on. */
export const listAgents: Operation<'listAgents'> = async ({ store, cursorSecret }, caller, { query }) => {
  const { fleet_id: fleetId, trust_level: trust } = query
  requireFleets(caller, fleetId === undefined ? [] : [fleetId])
  const visibleToFleet = fleetId === undefined && caller.trust < 2 ? caller.fleetId : undefined
  const list = { tenant: caller.tenantId, operation: 'listAgents', visibleToFleet }
  const page = readPage<string>(cursorSecret, list, query)
  return store.read(caller, async (reader) => {
    const rows = await selectAgents(reader, { fleetId, visibleToFleet, trust, ...page.keyset })
    const agents = await presentAgents(reader, caller, rows)
    return page.answer(agents, { positionOf: (agent) => agent.agent_id, present: (agent) => agent })
  })
}
