import { NotFoundError } from '../../runtime/errors.js'
import { countSelected } from '../../store/erasure/erasures.js'
import { tenantExists } from '../../store/tenants/credentials.js'
import { erase } from '../../services/erasure/erase.js'
import { countUnreadAbout } from '../../services/erasure/unread-memories.js'
import { readSelector } from './read-selector.js'
import type { Operation } from '../operation.js'

export const createErasure: Operation<'createErasure'> = async (context, _caller, { body, signal }) => {
  const { store } = context
  const tenantId = body.tenant_id
  if (!(await store.asSystem((system) => tenantExists(system, tenantId)))) throw new NotFoundError('Tenant')
  const selector = readSelector(body)
  if (body.preview) {
    const count = await store.read({ tenantId }, (reader) => countSelected(reader, selector))
    const unread = await countUnreadAbout(context, tenantId, selector, signal)
    return { status: 200, body: { preview: true, tenant_id: tenantId, memory_count: count + unread } }
  }
  return { status: 201, body: await erase(context, tenantId, selector, signal) }
}
