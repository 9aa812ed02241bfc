import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findRecall, type RecallOwner } from '../../store/recalls.js'
import type { Principal } from '../../domain/principal.js'
import type { Operation } from '../operation.js'
import { presentRecall } from './present-recall.js'

export const getRecall: Operation<'getRecall'> = async (context, principal, { params }) => {
  const row = await context.store.read(principal, (reader) =>
    findRecall(reader, audienceOf(principal, 'all'), params.recall_id, ownerOf(principal)),
  )
  if (!row) throw new NotFoundError('Recall')
  return { status: 200, body: presentRecall(principal.tenantId, row) }
}

function ownerOf(principal: Principal): RecallOwner {
  if (principal.trust >= 3) return null
  return principal.agentId === null ? { keyId: principal.keyId } : { agentId: principal.agentId }
}
