import { ConflictError } from '../../runtime/errors.js'
import { enqueueUnenriched } from '../../store/enrichment/unenriched.js'
import type { Store } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { Operation } from '../operation.js'

/** Enqueues page by page: what was enqueued before the deadline stays enqueued, and a repeated request continues after it. */
export const enrichMemories: Operation<'enrichMemories'> = async (
  { store, enrichment },
  _caller,
  { query, signal },
) => {
  if (!enrichment.enabled)
    throw new ConflictError('This process does not enrich memories: set LLM_URL and ENRICHMENT_CONCURRENCY.')
  if (query.tenant_id !== undefined && !(await isEnriched(store, query.tenant_id)))
    throw new ConflictError('The tenant has switched enrichment off: its setting enrichment.enabled is false.')
  const scope = query.tenant_id === undefined ? {} : { tenantId: query.tenant_id }
  const enqueued = await enqueueUnenriched(store, { ...scope, retryFailed: query.retry_failed ?? false, signal })
  return { status: 200, body: { enqueued } }
}

async function isEnriched(store: Store, tenantId: string): Promise<boolean> {
  return (await store.read({ tenantId }, readSettings)).enrichment.enabled
}
