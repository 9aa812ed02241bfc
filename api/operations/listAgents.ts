import { listAgents as selectAgents } from '../../store/agents.js'
import { presentAgent } from '../agents/present-agent.js'
import { readCursor, signCursor } from '../cursors.js'
import { requireFleets } from '../memories/fleets.js'
import type { Operation } from '../operation.js'

export const listAgents: Operation<'listAgents'> = async ({ store, cursorSecret }, caller, { query }) => {
  const { cursor, limit, fleet_id: fleetId } = query
  requireFleets(caller, fleetId === undefined ? [] : [fleetId])
  const binding = { tenant: caller.tenantId, operation: 'listAgents', fleet_id: fleetId }
  const after = cursor === undefined ? undefined : readCursor<string>(cursorSecret, binding, cursor)
  const rows = await store.read(caller, (reader) => selectAgents(reader, { fleetId, after, limit: limit + 1 }))
  const items = rows.slice(0, limit)
  const next = rows.length > limit ? signCursor(cursorSecret, binding, items.at(-1)!.agentId) : null
  return { status: 200, body: { items: items.map(presentAgent), next_cursor: next } }
}
