import { type KeyPosition, type ListedKey, listKeys as selectKeys } from '../../store/tenants/credentials.js'
import { presentKey } from './present-key.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listKeys: Operation<'listKeys'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { tenant_id: tenantId } = query
  const page = readPage<KeyPosition>(cursorSecret, { tenant: tenantId ?? '', operation: 'listKeys' }, query)
  const rows = await store.asSystem((system) => selectKeys(system, { tenantId, ...page.keyset }))
  const positionOf = (key: ListedKey) => ({ createdAt: key.createdAt.toISOString(), keyId: key.keyId })
  return page.answer(rows, { positionOf, present: presentKey })
}
