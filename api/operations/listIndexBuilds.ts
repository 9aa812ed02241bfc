import { listBuilds } from '../../store/index-builds.js'
import { presentBuilds } from '../admin/present-index-build.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'

export const listIndexBuilds: Operation<'listIndexBuilds'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const { cursor, limit } = query
  const binding = { tenant: '', operation: 'listIndexBuilds' }
  const after = cursor === undefined ? undefined : readCursor<string>(cursorSecret, binding, cursor)
  return store.asSystem(async (system) => {
    const rows = await listBuilds(system, { after, limit: limit + 1 })
    const items = rows.slice(0, limit)
    const next = rows.length > limit ? signCursor(cursorSecret, binding, items.at(-1)!.id) : null
    return { status: 200, body: { items: await presentBuilds(system, items), next_cursor: next } }
  })
}
