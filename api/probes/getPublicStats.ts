import { shareLookup, type SharedLookup } from '../../runtime/share-lookup.js'
import { type PublicCounts, readPublicCounts } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'
import type { ServiceContext } from '../../services/context.js'
import type { Operation } from '../operation.js'

export const getPublicStats: Operation<'getPublicStats'> = async (context) => {
  const counts = await readPublicStats(context)
  return {
    status: 200,
    body: {
      tenant_count: counts.tenants,
      agent_count: counts.agents,
      memory_count: counts.memories,
      document_count: counts.documents,
      keystone_count: counts.keystones,
      active_skill_count: counts.activeSkills,
      recall_count: counts.recalls,
    },
  }
}

const CACHE_MS = 1_000

const readings = new WeakMap<Store, SharedLookup<PublicCounts>>()

/**
 * Returns the counts of the whole service, at most a second old. The route is open to anyone and sums over all tenants, so a process
 * reads it once a second however many callers there are. A failure is not cached.
 */
export function readPublicStats({ store, clock }: Pick<ServiceContext, 'store' | 'clock'>): Promise<PublicCounts> {
  return shareLookup(readings, store, () => store.asSystem(readPublicCounts), { clock, maxAgeMs: CACHE_MS })
}
