import type { Metrics } from '../../runtime/metrics.js'
import type { Route } from '../contract/routes.js'
import { nothing, type Outside } from '../outside.js'
import { FairAdmission, type Place, type Turn } from './fair-admission.js'

export interface AdmissionOptions {
  /** Concurrent requests of all tenants: as many as there are database connections for them. */
  readonly places: number
  /** Permits of one tenant while other tenants send requests, and as many for its bulk writes; null for no limit. */
  readonly tenantPlaces: number | null
  /** Requests of one tenant that may wait for a permit. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'admission'>
}

export interface BodyRoomOptions {
  /** The process's heap limit in bytes. */
  readonly heapBytes: number
  /** Requests of one tenant that may wait for body memory. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'bodies'>
}

/** Limits concurrent requests, and their concurrent calls to other services. */
export interface Admission {
  readonly places: FairAdmission
  /** Returns the interface through which a request with a permit calls other services. */
  outside(place: Place, turn: Turn): Outside
}

/**
 * Most requests of one tenant (and as many bulk writes) that wait for other services, because what they hold stays in memory. At this
 * number, its further recalls wait before they start, and its writes overtake them.
 */
const MOST_OUTSIDE = 64
/**
 * Concurrent calls to other services for each permit: enough for a circuit to open, after five failed calls, before the requests that
 * wait behind them are refused, and enough for other tenants' calls to be sent meanwhile.
 */
const CALLS_A_PLACE = 8

/** Creates the admission of requests. Permits are held briefly, so a tenant alone may hold all of them. Returns null for no limit. */
export function createAdmission({ places, tenantPlaces, tenantQueue, metrics }: AdmissionOptions): Admission | null {
  if (tenantPlaces === null) return null
  const calls = new FairAdmission({
    total: CALLS_A_PLACE * places,
    share: CALLS_A_PLACE * tenantPlaces,
    lends: true,
    // Bounded by the number of requests that wait for other services.
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
      // Awaited below, unless `meanwhile` fails first.
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
 * Heap bytes that a byte of a body may take once it is parsed, with some left for everything else. Text takes 1, numbers with names take
 * 5, empty objects take 21 (15.3 MiB of `{"a": [{}, {}, …]}` become 326 MiB, Node 20.20).
 */
const HEAP_BYTES_A_BYTE = 32

/**
 * Creates the budget in bytes for bodies that are being read, wait for a permit or are being worked on: as many as fit the heap if every
 * body were of the worst kind, half of that for one tenant, and always enough for one body of the largest size. It is never lent beyond
 * the share: a slow sender keeps its reservation until its body is late.
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
