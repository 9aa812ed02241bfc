/**
 * Waits for another service while the tenant's next request uses the permit. The request does no other work meanwhile, and must hold no
 * connection of the pool.
 */
export interface ExternalCalls {
  /**
   * Calls a service that all tenants share and that limits each tenant's concurrent calls. `meanwhile` runs beside the call, under the
   * permit. Resolves with both results. Rejects as the call does, unless `meanwhile` fails first.
   */
  run<T, M = undefined>(call: () => Promise<T>, meanwhile?: () => Promise<M>): Promise<[T, M]>
  /** Waits for `work`, which limits the number of its callers by itself. */
  waitFor<T>(work: Promise<T>): Promise<T>
}

/** Lets a request wait for other services without its permit. */
export interface ExternalCallContext {
  readonly signal: AbortSignal
  readonly externalCalls: ExternalCalls
}

/** Waits with the permit, for work that this process does itself, in whichever thread. */
export const callsWithPermit: ExternalCalls = {
  run: (call, meanwhile = doNothing) => Promise.all([call(), meanwhile()]),
  waitFor: (work) => work,
}

/** Resolves at once; the default of `meanwhile`. */
export function doNothing(): Promise<never> {
  return Promise.resolve(undefined as never)
}
