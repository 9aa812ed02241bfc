import { listKeys as selectKeys } from '../../store/credentials.js'
import { presentKey } from '../admin/present-key.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'

interface Position {
  readonly createdAt: string
  readonly keyId: string
}

export const listKeys: Operation<'listKeys'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { cursor, limit, tenant_id: tenantId } = query
  const binding = { tenant: tenantId ?? '', operation: 'listKeys' }
  const position = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, binding, cursor)
  const after = position && { createdAt: new Date(position.createdAt), keyId: position.keyId }
  const rows = await store.asSystem((system) => selectKeys(system, { tenantId, after, limit: limit + 1 }))
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1)! : null
  const next = last && signCursor(cursorSecret, binding, { createdAt: last.createdAt.toISOString(), keyId: last.keyId })
  return { status: 200, body: { items: items.map(presentKey), next_cursor: next } }
}
