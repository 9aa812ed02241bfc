import { orderBySupersession } from '../../domain/life/lineage.js'
import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { findChain } from '../../store/memories/supersessions.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'

export const getLineage: Operation<'getLineage'> = async (context, principal, { params }) => {
  const audience = audienceOf(principal, 'all')
  const members = await context.store.read(principal, async (reader) => {
    const { ids, supersessionLinks } = await findChain(reader, audience, params.memory_id)
    return orderBySupersession(await findMemories(reader, audience, ids), supersessionLinks)
  })
  if (members.length === 0) throw new NotFoundError('Memory')
  const items = members.map((row) => presentMemory(principal.tenantId, row))
  return { status: 200, body: { memory_id: params.memory_id.toLowerCase(), items } }
}
