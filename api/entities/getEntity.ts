import { audienceOf } from '../../domain/visibility.js'
import { presentEntity } from './present-entity.js'
import { requireEntity } from './require-entity.js'
import type { Operation } from '../operation.js'

export const getEntity: Operation<'getEntity'> = async (context, principal, { params }) => {
  const row = await context.store.read(principal, (reader) =>
    requireEntity(reader, audienceOf(principal, 'all'), params.entity_id),
  )
  return { status: 200, body: presentEntity(principal.tenantId, row) }
}
