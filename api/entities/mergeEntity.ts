import { type Audience, audienceOf } from '../../domain/visibility.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { type EntityRow, findEntity } from '../../store/entities.js'
import { mergeEntity as mergeInto, MOST_NAMES } from '../../store/entity-merges.js'
import type { Reader } from '../../store/store.js'
import { presentEntity } from './present-entity.js'
import type { Operation } from '../operation.js'

export const mergeEntity: Operation<'mergeEntity'> = async ({ store, clock }, principal, { params, body }) => {
  const { entity_id: id } = params
  const audience = audienceOf(principal, 'all')
  const row = await store.transact(principal, async (writer) => {
    for (const wanted of [id, body.into]) await requireEntity(writer, audience, wanted)
    const outcome = await mergeInto(writer, id, body.into)
    if (outcome === 'merged') {
      const event = { action: 'entity.merged', subject: { kind: 'entity', id }, details: { into: body.into } } as const
      await audit(writer, new Date(clock.now()), [event])
    } else if (outcome !== 'merged before') throw REFUSALS[outcome]()
    return requireEntity(writer, audience, id)
  })
  return { status: 200, body: presentEntity(principal.tenantId, row) }
}

const REFUSALS = {
  unknown: () => new NotFoundError('Entity'),
  'one thing': () => new ConflictError('The two are names of one thing already.'),
  'merged elsewhere': () => new ConflictError('The entity is merged into another one: split it first.'),
  'too many': () => new ConflictError(`One thing has at most ${MOST_NAMES} names.`),
}

/** Returns an entity that the audience sees, or throws NotFoundError. */
export async function requireEntity(reader: Reader, audience: Audience, id: string): Promise<EntityRow> {
  const row = await findEntity(reader, audience, id)
  if (!row) throw new NotFoundError('Entity')
  return row
}
