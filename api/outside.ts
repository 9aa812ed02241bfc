/**
 * Waits for another service while the tenant's next request uses the permit. The request does no other work meanwhile, and must hold no
 * connection of the pool.
 */
export interface Outside {
  /**
   * Calls a service that all tenants share and that limits each tenant's concurrent calls. `meanwhile` runs beside the call, under the
   * permit. Resolves with both results. Rejects as the call does, unless `meanwhile` fails first.
   */
  ask<T, M = undefined>(call: () => Promise<T>, meanwhile?: () => Promise<M>): Promise<[T, M]>
  /** Waits for `work`, which limits the number of its callers by itself. */
  wait<T>(work: Promise<T>): Promise<T>
}

/** Lets a request wait for other services without its permit. */
export interface Waiting {
  readonly signal: AbortSignal
  readonly outside: Outside
}

/** Waits with the permit, for work that this process does itself, in whichever thread. */
export const inside: Outside = {
  ask: (call, meanwhile = nothing) => Promise.all([call(), meanwhile()]),
  wait: (work) => work,
}

/** Resolves at once; the default of `meanwhile`. */
export function nothing(): Promise<never> {
  return Promise.resolve(undefined as never)
}
