import { listKeys as selectKeys } from '../../store/tenants/credentials.js'
import { presentKey } from './present-key.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

interface Position {
  readonly createdAt: string
  readonly keyId: string
}

export const listKeys: Operation<'listKeys'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { tenant_id: tenantId } = query
  const page = readPage<Position>(cursorSecret, { tenant: tenantId ?? '', operation: 'listKeys' }, query)
  const after = page.after && { createdAt: new Date(page.after.createdAt), keyId: page.after.keyId }
  const rows = await store.asSystem((system) => selectKeys(system, { tenantId, after, limit: page.rows }))
  const { shown, next } = page.cut(rows, ({ createdAt, keyId }) => ({ createdAt: createdAt.toISOString(), keyId }))
  return { status: 200, body: { items: shown.map(presentKey), next_cursor: next } }
}
