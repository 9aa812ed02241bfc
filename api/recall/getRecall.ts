import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findRecall } from '../../store/recalls.js'
import type { Operation } from '../operation.js'
import { presentRecall } from './present-recall.js'
import { recallOwner } from './recall-owner.js'

export const getRecall: Operation<'getRecall'> = async (context, principal, { params }) => {
  const row = await context.store.read(principal, (reader) =>
    findRecall(reader, audienceOf(principal, 'all'), params.recall_id, recallOwner(principal)),
  )
  if (!row) throw new NotFoundError('Recall')
  return { status: 200, body: presentRecall(principal.tenantId, row) }
}
