import { listTenants as selectTenants } from '../../store/tenants/tenants.js'
import { presentTenant } from './present-tenant.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listTenants: Operation<'listTenants'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { tenant_id: tenantId } = query
  const page = readPage<string>(cursorSecret, { tenant: tenantId ?? '', operation: 'listTenants' }, query)
  const rows = await store.asSystem((system) => selectTenants(system, { tenantId, ...page.keyset }))
  return page.answer(rows, { positionOf: (row) => row.tenantId, present: presentTenant })
}
