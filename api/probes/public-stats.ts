import { shareLookup, type SharedLookup } from '../../runtime/share-lookup.js'
import { type PublicCounts, readPublicCounts } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'
import type { ServiceContext } from '../../services/context.js'

const CACHE_MS = 1_000

const readings = new WeakMap<Store, SharedLookup<PublicCounts>>()

/**
 * Returns the counts of the whole service, at most a second old. The route is open to anyone and sums over all tenants, so a process
 * reads it once a second however many callers there are. A failure is not cached.
 */
export function readPublicStats({ store, clock }: Pick<ServiceContext, 'store' | 'clock'>): Promise<PublicCounts> {
  return shareLookup(readings, store, () => store.asSystem(readPublicCounts), { clock, maxAgeMs: CACHE_MS })
}
