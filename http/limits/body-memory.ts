import type { Metrics } from '../../runtime/metrics.js'
import type { Route } from '../validation/routes.js'
import { FairAdmission } from './fair-admission.js'

interface BodyMemoryOptions {
  /** The process's heap limit in bytes. */
  readonly heapBytes: number
  /** Requests of one tenant that may wait for body memory. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'bodies'>
}

/**
 * Heap bytes that a byte of a body may take once it is parsed, with some left for everything else. Text takes 1, numbers with names take
 * 5, empty objects take 21 (15.3 MiB of `{"a": [{}, {}, …]}` become 326 MiB, Node 20.20).
 */
const HEAP_BYTES_PER_BODY_BYTE = 32

/**
 * Creates the budget in bytes for bodies that are being read, wait for a permit or are being worked on: as many as fit the heap if every
 * body were of the worst kind, half of that for one tenant, and always enough for one body of the largest size. It is never lent beyond
 * the share: a slow sender keeps its reservation until its body is late.
 */
export function createBodyMemory(
  routes: readonly Pick<Route, 'bodyLimitBytes'>[],
  options: BodyMemoryOptions,
): FairAdmission {
  const { heapBytes, tenantQueue, metrics } = options
  const largest = Math.max(...routes.map(({ bodyLimitBytes }) => bodyLimitBytes))
  const total = Math.max(largest, Math.floor(heapBytes / HEAP_BYTES_PER_BODY_BYTE))
  return new FairAdmission({
    total,
    share: Math.max(largest, Math.floor(total / 2)),
    allowsBorrowing: false,
    queue: tenantQueue,
    waitsFor: 'memory for the bodies of the tenant',
    onUse: ({ taken, waiting }) => metrics.bodies({ bytes: taken, waiting }),
    onRefusal: () => metrics.limited('bodies'),
  })
}
