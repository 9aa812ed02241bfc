import type { Metrics } from '../../runtime/metrics.js'
import type { Route } from '../contract/routes.js'
import { nothing, type Outside } from '../outside.js'
import { FairAdmission, type Place, type Turn } from './fair-admission.js'

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

/** The places of requests at work, and of their calls of other services. */
export interface Admission {
  readonly places: FairAdmission
  /** Lets a request that has a permit wait outside. */
  outside(place: Place, turn: Turn): Outside
}

/**
 * Requests of one tenant (and as many bulk writes) that wait outside of the process: what they hold stays in memory. While there are as many
 * its further recalls wait before they are begun, and its writes pass them by.
 */
const MOST_OUTSIDE = 64
/**
 * Calls of other services for each place: enough that circuits open, after five calls that come to nothing, before the requests that wait
 * behind them are refused, and that other tenants' calls find the service free.
 */
const CALLS_A_PLACE = 8

/** Places are soon free again, so a tenant alone has all of them. Null: nothing is held. */
export function createAdmission({ places, tenantPlaces, tenantQueue, metrics }: AdmissionOptions): Admission | null {
  if (tenantPlaces === null) return null
  const calls = new FairAdmission({
    total: CALLS_A_PLACE * places,
    share: CALLS_A_PLACE * tenantPlaces,
    lends: true,
    // Bounded by the requests that are outside.
    queue: Infinity,
    waitMs: Infinity,
    onUse: () => undefined,
    onRefusal: () => undefined,
  })
  return {
    places: new FairAdmission({
      total: places,
      share: tenantPlaces,
      lends: true,
      queue: tenantQueue,
      outside: MOST_OUTSIDE,
      onUse: ({ taken, waiting, outside }) => metrics.admission({ running: taken, waiting, outside }),
      onRefusal: () => metrics.limited('concurrency'),
    }),
    outside: (place, turn) => outsideOf(place, (call) => withPlace(calls, turn, call)),
  }
}

function outsideOf(place: Place, admitted: <T>(call: () => Promise<T>) => Promise<T>): Outside {
  return {
    async ask(call, meanwhile = nothing) {
      let isThere = false
      const asked = admitted(call).finally(() => (isThere = true))
      // Told below, unless what is done meanwhile fails first.
      asked.catch(() => undefined)
      const beside = await meanwhile()
      return [isThere ? await asked : await place.waitOutside(asked), beside]
    },
    wait: (work) => place.waitOutside(work),
  }
}

async function withPlace<T>(shared: FairAdmission, turn: Turn, work: () => Promise<T>): Promise<T> {
  const place = await shared.enter(turn)
  try {
    return await work()
  } finally {
    place.leave()
  }
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
