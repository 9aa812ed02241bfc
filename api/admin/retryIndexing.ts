import { retryFailedRows } from '../../store/outbox/outbox-upkeep.js'
import type { Operation } from '../operation.js'

export const retryIndexing: Operation<'retryIndexing'> = async ({ store }, _caller, { query }) => {
  const enqueued = await store.asSystem((system) => retryFailedRows(system, query.tenant_id))
  return { status: 200, body: { enqueued } }
}
