import { type PublicCounts, publicCounts } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'
import type { ApiContext } from '../context.js'

const KEPT_MS = 1_000

interface Reading {
  readonly at: number
  readonly counts: Promise<PublicCounts>
}

const readings = new WeakMap<Store, Reading>()

/**
 * What the whole service counts, a second old at most. Open to anyone, and a sum over all tenants: however many ask, a process reads
 * it once a second. A failure is not kept.
 */
export function publicStats({ store, clock }: Pick<ApiContext, 'store' | 'clock'>): Promise<PublicCounts> {
  const now = clock.now()
  const known = readings.get(store)
  if (known && now - known.at < KEPT_MS && now >= known.at) return known.counts
  const reading = { at: now, counts: store.asSystem(publicCounts) }
  readings.set(store, reading)
  reading.counts.catch(() => {
    if (readings.get(store) === reading) readings.delete(store)
  })
  return reading.counts
}
