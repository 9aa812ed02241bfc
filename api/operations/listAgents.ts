import { listAgents as selectAgents } from '../../store/tenants/agents.js'
import { presentAgent } from '../agents/present-agent.js'
import { requireFleets } from '../memories/fleets.js'
import type { Operation } from '../operation.js'
import { readPage } from '../pages.js'

export const listAgents: Operation<'listAgents'> = async ({ store, cursorSecret }, caller, { query }) => {
  const { fleet_id: fleetId } = query
  requireFleets(caller, fleetId === undefined ? [] : [fleetId])
  const page = readPage<string>(cursorSecret, { tenant: caller.tenantId, operation: 'listAgents' }, query)
  const rows = await store.read(caller, (reader) =>
    selectAgents(reader, { fleetId, after: page.after, limit: page.rows }),
  )
  const { shown, next } = page.cut(rows, (row) => row.agentId)
  return { status: 200, body: { items: shown.map(presentAgent), next_cursor: next } }
}
