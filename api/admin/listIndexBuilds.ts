import { listBuilds } from '../../store/indexing/index-builds.js'
import { presentBuilds } from './present-index-build.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listIndexBuilds: Operation<'listIndexBuilds'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const page = readPage<string>(cursorSecret, { tenant: '', operation: 'listIndexBuilds' }, query)
  return store.asSystem(async (system) => {
    const rows = await listBuilds(system, { after: page.after, limit: page.rows })
    const { shown, next } = page.cut(rows, (row) => row.id)
    return { status: 200, body: { items: await presentBuilds(system, shown), next_cursor: next } }
  })
}
