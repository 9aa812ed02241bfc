import { readPage } from '../../http/pages.js'
import { listRuns } from '../../store/forge/runs.js'
import type { Operation } from '../operation.js'
import { presentRunSummary } from './present-run.js'

export const listForgeRuns: Operation<'listForgeRuns'> = async ({ store, cursorSecret }, principal, { query }) => {
  const page = readPage<string>(cursorSecret, { tenant: principal.tenantId, operation: 'listForgeRuns' }, query)
  const rows = await store.read(principal, (reader) => listRuns(reader, page.keyset))
  return page.answer(rows, { positionOf: (row) => row.runId, present: presentRunSummary })
}
