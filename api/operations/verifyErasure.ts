import { NotFoundError } from '../../runtime/errors.js'
import { findErasure } from '../../store/erasure/erasures.js'
import { isClean, keepsIds, searchPlaces } from '../erasure/places.js'
import type { Operation } from '../operation.js'

export const verifyErasure: Operation<'verifyErasure'> = async (context, _caller, { params }) => {
  const erasure = await context.store.asSystem((system) => findErasure(system, params.erasure_id))
  if (!erasure) throw new NotFoundError('Erasure')
  const { tenantId, memoryIds, textHashes, at } = erasure
  const found = await searchPlaces(context, { tenantId, ids: memoryIds, textHashes, at })
  const places = [...found].map(([place, { holding, mentioning }]) => {
    return { place, found: holding, mentions: mentioning, kept: keepsIds(place) }
  })
  return {
    status: 200,
    body: {
      erasure_id: erasure.id,
      tenant_id: tenantId,
      erased_at: erasure.at.toISOString(),
      verified_at: new Date(context.clock.now()).toISOString(),
      memory_count: memoryIds.length,
      places,
      clean: [...found].every(([place, left]) => isClean(place, left)),
      hash: erasure.hash,
    },
  }
}
