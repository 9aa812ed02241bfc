import { listTenants as selectTenants } from '../../store/tenants.js'
import { presentTenant } from '../admin/present-tenant.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'

export const listTenants: Operation<'listTenants'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { cursor, limit, tenant_id: tenantId } = query
  const binding = { tenant: tenantId ?? '', operation: 'listTenants' }
  const after = cursor === undefined ? undefined : readCursor<string>(cursorSecret, binding, cursor)
  const rows = await store.asSystem((system) => selectTenants(system, { tenantId, after, limit: limit + 1 }))
  const items = rows.slice(0, limit)
  const next = rows.length > limit ? signCursor(cursorSecret, binding, items.at(-1)!.tenantId) : null
  return { status: 200, body: { items: items.map(presentTenant), next_cursor: next } }
}
