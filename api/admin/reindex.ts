import { enqueueAll } from '../../store/outbox/outbox-upkeep.js'
import type { Operation } from '../operation.js'

/** Enqueues page by page: what was enqueued before the deadline stays enqueued. A repeated request enqueues everything again. */
export const reindex: Operation<'reindex'> = async ({ store }, _caller, { query, signal }) => {
  const scope = query.tenant_id === undefined ? {} : { tenantId: query.tenant_id }
  return { status: 200, body: { enqueued: await enqueueAll(store, { ...scope, signal }) } }
}
