import { NotFoundError } from '../../runtime/errors.js'
import { type ErasureSelector, findErasure } from '../../store/erasure/erasures.js'
import { keepsIds, remainingIn, searchPlaces } from '../../services/erasure/places.js'
import { readNames } from '../../store/erasure/unread.js'
import { entityIdsOf } from '../../services/erasure/erase.js'
import { countUnreadAbout } from '../../services/erasure/unread-memories.js'
import type { Operation } from '../operation.js'

export const verifyErasure: Operation<'verifyErasure'> = async (context, _caller, { params, signal }) => {
  const erasure = await context.store.asSystem((system) => findErasure(system, params.erasure_id))
  if (!erasure) throw new NotFoundError('Erasure')
  const { tenantId, memoryIds, textHashes, skillIds, at } = erasure
  const selector = erasure.selector as unknown as ErasureSelector
  // Before the search for traces, so that the search finds memories that are linked meanwhile.
  const pendingCount = await countUnreadAbout(context, tenantId, selector, signal)
  const ids = [...memoryIds, ...entityIdsOf(selector)]
  const names = await context.store.read({ tenantId }, (reader) => readNames(reader, entityIdsOf(selector)))
  const found = await searchPlaces(context, { tenantId, ids, textHashes, skillIds, names, at })
  const remaining = remainingIn(found)
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
      pending_count: pendingCount,
      places,
      remaining,
      clean: pendingCount === 0 && remaining.length === 0,
      hash: erasure.hash || String(erasure.receipt.hash ?? ''),
    },
  }
}
