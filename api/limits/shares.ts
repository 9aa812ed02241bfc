import type { Metrics } from '../../runtime/metrics.js'
import type { Route } from '../contract/routes.js'
import { FairAdmission } from './fair-admission.js'

export interface AdmissionOptions {
  /** Requests at work at a time, of all tenants: as many as there are connections to work with. */
  readonly places: number
  /** Of these, how many one tenant has while others call, and as many for its bulk writes; null: as many as it likes. */
  readonly tenantPlaces: number | null
  /** Requests of one tenant that wait for a place. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'admission'>
}

export interface BodyRoomOptions {
  /** What the process may have. */
  readonly heapBytes: number
  /** Requests of one tenant whose body waits to be read. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'bodies'>
}

/** The places of requests at work. They are soon free again, so a tenant alone has all of them. Null: nothing is held. */
export function createAdmission({
  places,
  tenantPlaces,
  tenantQueue,
  metrics,
}: AdmissionOptions): FairAdmission | null {
  if (tenantPlaces === null) return null
  return new FairAdmission({
    total: places,
    share: tenantPlaces,
    lends: true,
    queue: tenantQueue,
    onUse: ({ taken, waiting }) => metrics.admission({ running: taken, waiting }),
    onRefusal: () => metrics.limited('concurrency'),
  })
}

/**
 * What a byte of a body may come to in the heap once it is parsed, with some left for everything else. Of texts it is 1, of numbers with
 * names 5, of empty objects 21 (15.3 MiB of `{"a": [{}, {}, …]}` are 326, Node 20.20).
 */
const HEAP_BYTES_A_BYTE = 32

/**
 * The bytes of bodies that are being read, wait for a place or are at work: as many as fit the heap if all of them were of the
 * worst kind, of one tenant half of that, and always one of the largest. They are never lent beyond the share: a slow sender has
 * them until its body is late.
 */
export function createBodyRoom(
  routes: readonly Pick<Route, 'bodyLimitBytes'>[],
  options: BodyRoomOptions,
): FairAdmission {
  const { heapBytes, tenantQueue, metrics } = options
  const largest = Math.max(...routes.map(({ bodyLimitBytes }) => bodyLimitBytes))
  const total = Math.max(largest, Math.floor(heapBytes / HEAP_BYTES_A_BYTE))
  return new FairAdmission({
    total,
    share: Math.max(largest, Math.floor(total / 2)),
    lends: false,
    queue: tenantQueue,
    onUse: ({ taken, waiting }) => metrics.bodies({ bytes: taken, waiting }),
    onRefusal: () => metrics.limited('bodies'),
  })
}
