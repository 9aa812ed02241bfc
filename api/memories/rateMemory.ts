import { weightStep } from '../../domain/life/feedback.js'
import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { adjustWeight } from '../../store/memories/change-memory.js'
import { lockMemories } from '../../store/memories/lock-memories.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { etagOf } from '../../http/entity-tags.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'

export const rateMemory: Operation<'rateMemory'> = async (context, principal, { params, body }) => {
  const id = params.memory_id.toLowerCase()
  const at = new Date(context.clock.now())
  const row = await context.store.transact(principal, async (writer) => {
    const audience = audienceOf(principal, 'all')
    const locked = await lockMemories(writer, audience, [id])
    if (locked.size === 0) throw new NotFoundError('Memory')
    const { before, after } = await adjustWeight(writer, id, { by: weightStep(body.outcome), at })
    const details = { outcome: body.outcome, run_id: body.run_id ?? null, from: before, to: after }
    await audit(writer, at, [{ action: 'memory.feedback', subject: { kind: 'memory', id }, details }])
    const [row] = await findMemories(writer, audience, [id])
    return row!
  })
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentMemory(principal.tenantId, row) }
}
