import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError, TrustError } from '../../runtime/errors.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { etagOf } from '../../http/entity-tags.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'

export const getMemory: Operation<'getMemory'> = async (context, principal, { params, query }) => {
  if (query.include_deleted && principal.trust < 3) throw new TrustError(3, principal.trust)
  const options = { includeDeleted: query.include_deleted }
  const [row] = await context.store.read(principal, (reader) =>
    findMemories(reader, audienceOf(principal, 'all'), [params.memory_id], options),
  )
  if (!row) throw new NotFoundError('Memory')
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentMemory(principal.tenantId, row) }
}
