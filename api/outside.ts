/**
 * Waits for what another service does, while the tenant's next request has the permit. A request does nothing of its own meanwhile, and
 * holds no connection of the pool.
 */
export interface Outside {
  /**
   * Asks a service that all tenants share, of which one tenant has only so many calls at a time. `meanwhile` is done beside the call, with
   * the permit. Once the call has begun its failure is this function's, unless `meanwhile` fails first.
   */
  ask<T, M = undefined>(call: () => Promise<T>, meanwhile?: () => Promise<M>): Promise<[T, M]>
  /** Waits for what sees to the number of its callers by itself. */
  wait<T>(work: Promise<T>): Promise<T>
}

/** Lets a request wait without its permit. */
export interface Waiting {
  readonly signal: AbortSignal
  readonly outside: Outside
}

/** For what is done by this process itself, in whichever thread: it keeps the permit. */
export const inside: Outside = {
  ask: (call, meanwhile = nothing) => Promise.all([call(), meanwhile()]),
  wait: (work) => work,
}

/** Does nothing beside the call. */
export function nothing(): Promise<never> {
  return Promise.resolve(undefined as never)
}
