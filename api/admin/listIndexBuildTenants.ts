import { listTenantProgress } from '../../store/indexing/index-progress.js'
import { readBuild } from './present-index-build.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listIndexBuildTenants: Operation<'listIndexBuildTenants'> = async (context, _caller, input) => {
  const { build_id: buildId } = input.params
  const { tenant_id: tenantId } = input.query
  const list = { tenant: tenantId ?? '', operation: `listIndexBuildTenants ${buildId}` }
  const page = readPage<string>(context.cursorSecret, list, input.query)
  const rows = await context.store.asSystem(async (system) => {
    await readBuild(system, buildId)
    return listTenantProgress(system, buildId, { tenantId, ...page.keyset })
  })
  return page.answer(rows, {
    positionOf: (row) => row.tenantId,
    present: (row) => ({
      tenant_id: row.tenantId,
      state: row.state,
      memories: row.memories,
      memories_done: row.memoriesDone,
      documents: row.documents,
      documents_done: row.documentsDone,
    }),
  })
}
