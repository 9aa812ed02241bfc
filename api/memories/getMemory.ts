import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { etagOf } from '../../http/entity-tags.js'
import { momentOf } from './moment.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'
import { requireTrust } from '../../services/access/trust.js'

export const getMemory: Operation<'getMemory'> = async (context, principal, { params, query }) => {
  if (query.include_deleted) requireTrust(principal, 3)
  const options = { includeDeleted: query.include_deleted, knownAt: momentOf(query.known_at, context.clock) }
  const [row] = await context.store.read(principal, (reader) =>
    findMemories(reader, audienceOf(principal, 'all'), [params.memory_id], options),
  )
  if (!row) throw new NotFoundError('Memory')
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentMemory(principal.tenantId, row) }
}
