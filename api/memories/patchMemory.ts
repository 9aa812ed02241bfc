import { audienceOf } from '../../domain/visibility.js'
import { InvalidArgumentsError, NotFoundError } from '../../runtime/errors.js'
import { lockMemories } from '../../store/memories/lock-memories.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { etagOf, requireMatch } from '../../http/entity-tags.js'
import { applyChange } from '../../services/memories/apply-change.js'
import { foreignFault } from '../../services/access/trust.js'
import { presentMemory } from './present-memory.js'
import { readChange } from './read-draft.js'
import type { Operation } from '../operation.js'

export const patchMemory: Operation<'patchMemory'> = async (context, principal, { params, headers, body, signal }) => {
  const change = readChange(body)
  if (Object.keys(change).length === 0)
    throw InvalidArgumentsError.at([], 'Name at least one field to change.', 'missing')
  const row = await context.store.transact(principal, async (writer) => {
    const audience = audienceOf(principal, 'all')
    const id = params.memory_id
    // Locked before it is read, so that the version compared is the version changed.
    await lockMemories(writer, audience, [id])
    const [before] = await findMemories(writer, audience, [id])
    if (!before) throw new NotFoundError('Memory')
    const foreign = foreignFault(principal, before)
    if (foreign) throw foreign
    requireMatch(headers['If-Match'], before)
    const changeContext = {
      principal,
      now: new Date(context.clock.now()),
      enriches: context.enrichment.enabled,
      tenantLanguages: context.tenantLanguages,
      signal,
    }
    await applyChange(writer, changeContext, before, change)
    // An operator who makes another's memory private still gets it in this answer, without the author's other private data.
    const [after] = await findMemories(writer, audience, [id], { even: 'hidden' })
    return after!
  })
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentMemory(principal.tenantId, row) }
}
