import { listTenantProgress } from '../../store/index-progress.js'
import { readBuild } from '../admin/present-index-build.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'

export const listIndexBuildTenants: Operation<'listIndexBuildTenants'> = async (
  context,
  _caller,
  { params, query },
) => {
  const { store, cursorSecret } = context
  const { cursor, limit, tenant_id: tenantId } = query
  const binding = { tenant: tenantId ?? '', operation: `listIndexBuildTenants ${params.build_id}` }
  const after = cursor === undefined ? undefined : readCursor<string>(cursorSecret, binding, cursor)
  const rows = await store.asSystem(async (system) => {
    await readBuild(system, params.build_id)
    return listTenantProgress(system, params.build_id, { tenantId, after, limit: limit + 1 })
  })
  const items = rows.slice(0, limit).map((row) => ({
    tenant_id: row.tenantId,
    state: row.state,
    memories: row.memories,
    memories_done: row.memoriesDone,
  }))
  const next = rows.length > limit ? signCursor(cursorSecret, binding, items.at(-1)!.tenant_id) : null
  return { status: 200, body: { items, next_cursor: next } }
}
