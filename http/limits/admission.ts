import type { Metrics } from '../../runtime/metrics.js'
import { doNothing, type ExternalCalls } from '../../runtime/external-calls.js'
import { FairAdmission, type Permit, type AdmissionRequest } from './fair-admission.js'
import { createNetworkStretch } from './network-share.js'

interface AdmissionOptions {
  /** Concurrent requests of all tenants: as many as there are database connections for them. */
  readonly permits: number
  /** Permits of one tenant beside any other tenant, and as many for its bulk writes; null for no limit. */
  readonly tenantPermits: number | null
  /** Requests of one tenant that may wait for a permit. */
  readonly tenantQueue: number
  /** Returns the milliseconds that requests with a permit have spent on the way to PostgreSQL and back, in all. */
  readonly networkMs: () => number
  readonly metrics: Pick<Metrics, 'limited' | 'admission'>
}

/** Limits concurrent requests, and their concurrent writes of a row, and their concurrent calls to other services. */
export interface Admission {
  readonly permits: FairAdmission
  /** Turns of the writers of each row, whose name is the tenant of the request here. */
  readonly turns: FairAdmission
  /** Returns the interface through which a request with a permit calls other services. */
  externalCalls(permit: Permit, admissionRequest: AdmissionRequest): ExternalCalls
}

/**
 * Most requests of one tenant (and as many bulk writes) that wait for other services, because what they hold stays in memory. At this
 * number, its further recalls wait before they start, and its writes overtake them.
 */
const MAX_EXTERNAL_CALLS = 64
/**
 * Concurrent calls to other services for each permit: enough for a circuit to open, after five failed calls, before the requests that
 * wait behind them are refused, and enough for other tenants' calls to be sent meanwhile.
 */
const CALLS_PER_PERMIT = 8

/** Milliseconds that a writer waits for its turn: half of its deadline. */
const TURN_WAIT_MS = 15_000

/** Creates the admission of requests. Permits are held briefly, so a tenant alone may hold all of them. Returns null for no limit. */
export function createAdmission(options: AdmissionOptions): Admission | null {
  const { permits, tenantPermits, tenantQueue, networkMs, metrics } = options
  if (tenantPermits === null) return null
  const calls = new FairAdmission({
    total: CALLS_PER_PERMIT * permits,
    share: CALLS_PER_PERMIT * tenantPermits,
    allowsBorrowing: true,
    // Bounded by the number of requests that wait for other services.
    queue: Infinity,
    waitsFor: 'other services',
    waitMs: Infinity,
    onUse: () => undefined,
    onRefusal: () => undefined,
  })
  return {
    permits: new FairAdmission({
      total: permits,
      share: tenantPermits,
      allowsBorrowing: true,
      stretch: createNetworkStretch({ networkMs }),
      queue: tenantQueue,
      waitsFor: 'other requests of the tenant',
      externalCalls: MAX_EXTERNAL_CALLS,
      onUse: ({ taken, waiting, externalCalls }) => metrics.admission({ running: taken, waiting, externalCalls }),
      onRefusal: () => metrics.limited('concurrency'),
    }),
    turns: new FairAdmission({
      total: Infinity,
      share: 1,
      allowsBorrowing: false,
      queue: tenantQueue,
      waitsFor: 'other writers of the same row',
      waitMs: TURN_WAIT_MS,
      onUse: () => undefined,
      onRefusal: () => metrics.limited('row'),
    }),
    externalCalls: (permit, admissionRequest) =>
      externalCallsOf(permit, (call) => withPermit(calls, admissionRequest, call)),
  }
}

function externalCallsOf(permit: Permit, withCallPermit: <T>(call: () => Promise<T>) => Promise<T>): ExternalCalls {
  return {
    async run(call, meanwhile = doNothing) {
      let isSettled = false
      const result = withCallPermit(call).finally(() => (isSettled = true))
      // Awaited below, unless `meanwhile` fails first.
      result.catch(() => undefined)
      const meanwhileResult = await meanwhile()
      return [isSettled ? await result : await permit.releaseDuring(result), meanwhileResult]
    },
    waitFor: (work) => permit.releaseDuring(work),
  }
}

async function withPermit<T>(
  shared: FairAdmission,
  admissionRequest: AdmissionRequest,
  work: () => Promise<T>,
): Promise<T> {
  const permit = await shared.acquire(admissionRequest)
  try {
    return await work()
  } finally {
    permit.release()
  }
}
