import { type Audience, audienceOf } from '../../domain/visibility.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { readSpellings } from '../../store/entities.js'
import { mergeEntity as mergeInto, MOST_NAMES, splitEntity } from '../../store/entity-merges.js'
import type { Reader } from '../../store/store.js'
import { presentEntity } from './present-entity.js'
import { requireEntity } from './require-entity.js'
import type { Operation } from '../operation.js'

export const mergeEntity: Operation<'mergeEntity'> = async ({ store, clock }, principal, { params, body }) => {
  const [id, into] = [params.entity_id.toLowerCase(), body.into.toLowerCase()]
  const audience = audienceOf(principal, 'all')
  const row = await store.transact(principal, async (writer) => {
    await requireShared(writer, audience, [id, into])
    let outcome = await mergeInto(writer, id, into)
    // What it is merged into, if the caller does not see that, became private since: to the caller it is merged into none.
    if (outcome === 'merged elsewhere' && (await requireEntity(writer, audience, id)).mergedInto === null) {
      await splitEntity(writer, id)
      outcome = await mergeInto(writer, id, into)
    }
    if (outcome === 'merged') {
      const event = { action: 'entity.merged', subject: { kind: 'entity', id }, details: { into } } as const
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

/** Everybody who may merge sees these rows. */
const SHARED: Audience = { kind: 'shared', agentId: null, fleets: 'all' }

/**
 * Throws NotFoundError for an entity that the audience does not see, and ConflictError for one that only private memories name: whoever merges would learn from a
 * refusal that it is a name of a thing.
 */
async function requireShared(reader: Reader, audience: Audience, ids: readonly string[]): Promise<void> {
  const seen = await readSpellings(reader, ids, audience)
  if (ids.some((id) => !seen.has(id))) throw new NotFoundError('Entity')
  const shared = await readSpellings(reader, ids, SHARED)
  if (ids.some((id) => !shared.has(id))) throw new ConflictError('Only private memories name the entity.')
}
