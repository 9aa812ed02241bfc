import { NotFoundError } from '../../runtime/errors.js'
import { countSelected, type ErasureSelector } from '../../store/erasure/erasures.js'
import { tenantExists } from '../../store/tenants/credentials.js'
import { erase } from '../../services/erasure/erase.js'
import { countUnreadAbout } from '../../services/erasure/unread-memories.js'
import type { Checked } from '../../contract/types.js'
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

type ErasureRequest = Checked<'ErasureRequest'>

/** Returns the selector of a request. The contract lets exactly one member through. */
function readSelector(request: ErasureRequest): ErasureSelector {
  if (request.agent_id !== undefined) return { agentId: request.agent_id }
  if (request.subject_entity_id !== undefined) return { subjectEntityId: request.subject_entity_id.toLowerCase() }
  return { memoryIds: request.memory_ids!.map((id) => id.toLowerCase()) }
}
