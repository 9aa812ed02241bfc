import { audienceOf } from '../../domain/visibility.js'
import { ConflictError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { splitEntity as splitOff } from '../../store/entity-merges.js'
import { presentEntity } from './present-entity.js'
import { requireEntity } from './require-entity.js'
import type { Operation } from '../operation.js'

export const splitEntity: Operation<'splitEntity'> = async ({ store, clock }, principal, { params }) => {
  const id = params.entity_id.toLowerCase()
  const audience = audienceOf(principal, 'all')
  const row = await store.transact(principal, async (writer) => {
    const { mergedInto } = await requireEntity(writer, audience, id)
    // One that is merged into what the caller does not see is none to it.
    if (mergedInto === null || !(await splitOff(writer, id)))
      throw new ConflictError('The entity is merged into no other one.')
    const event = { action: 'entity.split', subject: { kind: 'entity', id }, details: { from: mergedInto } } as const
    await audit(writer, new Date(clock.now()), [event])
    return requireEntity(writer, audience, id)
  })
  return { status: 200, body: presentEntity(principal.tenantId, row) }
}
