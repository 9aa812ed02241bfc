import { type PublicCounts, readPublicCounts } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'
import type { ServiceContext } from '../../services/context.js'

const CACHE_MS = 1_000

interface Reading {
  readonly at: number
  readonly counts: Promise<PublicCounts>
}

const readings = new WeakMap<Store, Reading>()

/**
 * Returns the counts of the whole service, at most a second old. The route is open to anyone and sums over all tenants, so a process
 * reads it once a second however many callers there are. A failure is not cached.
 */
export function readPublicStats({ store, clock }: Pick<ServiceContext, 'store' | 'clock'>): Promise<PublicCounts> {
  const now = clock.now()
  const cached = readings.get(store)
  if (cached && now - cached.at < CACHE_MS && now >= cached.at) return cached.counts
  const reading = { at: now, counts: store.asSystem(readPublicCounts) }
  readings.set(store, reading)
  reading.counts.catch(() => {
    if (readings.get(store) === reading) readings.delete(store)
  })
  return reading.counts
}
