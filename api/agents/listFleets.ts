import { listFleets as selectFleets } from '../../store/tenants/fleets.js'
import { presentFleet } from './present-fleet.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

/** Below trust 2 a caller sees its own fleet only, and nothing if it has none. */
export const listFleets: Operation<'listFleets'> = async ({ store, cursorSecret }, caller, { query }) => {
  const { tenantId, trust } = caller
  const page = readPage<string>(cursorSecret, { tenant: tenantId, operation: 'listFleets' }, query)
  if (trust < 2 && caller.fleetId === null) return { status: 200, body: { items: [], next_cursor: null } }
  const fleetId = trust < 2 ? caller.fleetId! : undefined
  const rows = await store.read(caller, (reader) => selectFleets(reader, { fleetId, ...page.keyset }))
  return page.answer(rows, { positionOf: (row) => row.fleetId, present: (row) => presentFleet(tenantId, row) })
}
