import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findEntity } from '../../store/entities.js'
import { presentEntity } from './present-entity.js'
import type { Operation } from '../operation.js'

export const getEntity: Operation<'getEntity'> = async (context, principal, { params }) => {
  const row = await context.store.read(principal, (reader) =>
    findEntity(reader, audienceOf(principal, 'all'), params.entity_id),
  )
  if (!row) throw new NotFoundError('Entity')
  return { status: 200, body: presentEntity(principal.tenantId, row) }
}
