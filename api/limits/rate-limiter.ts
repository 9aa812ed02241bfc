import type { Clock } from '../../runtime/clock.js'
import { CairnError } from '../../runtime/errors.js'
import type { Metrics } from '../../runtime/metrics.js'
import { networkOf } from './caller-address.js'
import type { Limit, LimitStore, Window } from './limit-store.js'
import type { RateClass, RateLimits } from './rate-class.js'

export interface Rate {
  readonly perSecond: number
  /** How many fit at once. */
  readonly burst: number
}

export interface RateLimiterOptions {
  readonly store: LimitStore
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'limited'>
  /** Where a tenant has none of its own. */
  readonly limits: RateLimits
  /** Of one network address, and of one tenant. */
  readonly gateway: { readonly address: Rate; readonly tenant: Rate }
}

/** Whose requests are counted: a key, and the tenant that it belongs to; the admin credential is one key of no tenant. */
export interface Caller {
  readonly keyId: string
  readonly tenantId: string | null
  /** The tenant's own, which go before the service's. */
  readonly limits: Partial<RateLimits>
}

/** What is left of a key's requests of one class. */
export interface Quota {
  readonly rateClass: RateClass
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetsAt: number
  readonly window: Window
}

const WINDOW_MS = 60_000

/**
 * The gateway limiter, which says nothing of itself but `Retry-After`, and the application limiter, whose quota stands on every answer
 * of a limited route. Both go by one store.
 */
export class RateLimiter {
  constructor(private readonly options: RateLimiterOptions) {}

  /** The gateway's first half, before anything is known of a caller but where it calls from. Throws 429. */
  async admitAddress(address: string | undefined): Promise<void> {
    const { store, gateway } = this.options
    const [taken] = await store.take([{ kind: 'bucket', key: `address:${networkOf(address)}`, ...gateway.address }])
    if (taken?.allowed === false) throw this.#refusedByGateway('address')
  }

  /**
   * The gateway's second half, which throws 429, and the application limiter, whose verdict is the caller's to act on: its
   * refusals carry the quota too. Null of a route without a class.
   */
  async admit(caller: Caller, rateClass: RateClass | null): Promise<Quota | null> {
    const limits: Limit[] = []
    const { tenantId } = caller
    if (tenantId !== null) {
      limits.push({ kind: 'bucket', key: `tenant:${tenantId}`, ...this.options.gateway.tenant })
    }
    const window = rateClass === null ? null : this.#windowOf(caller, rateClass)
    if (window) limits.push(window)
    if (limits.length === 0) return null
    const taken = await this.options.store.take(limits)
    if (tenantId !== null && taken[0]?.allowed === false) throw this.#refusedByGateway('tenant')
    if (!window) return null
    const { allowed, used } = taken[limits.length - 1]!
    const { limit } = window
    const resetsAt = window.startedAt + WINDOW_MS
    if (!allowed) this.options.metrics.limited(rateClass!)
    return { rateClass: rateClass!, allowed, limit, remaining: Math.max(0, limit - used), resetsAt, window }
  }

  /** For a request that is not to count after all. Nobody waits for the store; the quota as it is then. */
  giveBack(quota: Quota): Quota {
    void this.options.store.giveBack(quota.window)
    return { ...quota, remaining: Math.min(quota.limit, quota.remaining + 1) }
  }

  refusal({ rateClass, limit, resetsAt }: Quota): CairnError {
    const seconds = Math.max(1, Math.ceil((resetsAt - this.options.clock.now()) / 1_000))
    const message = `The limit of ${limit} ${NAMES[rateClass]} a minute for this key is used up; it begins anew in ${seconds} s.`
    return new CairnError(429, message, { headers: { 'Retry-After': String(seconds) } })
  }

  #windowOf({ keyId, limits }: Caller, rateClass: RateClass): Window {
    const startedAt = Math.floor(this.options.clock.now() / WINDOW_MS) * WINDOW_MS
    const limit = limits[rateClass] ?? this.options.limits[rateClass]
    return { kind: 'window', key: `${rateClass}:${keyId}`, limit, startedAt, lengthMs: WINDOW_MS }
  }

  #refusedByGateway(of: 'address' | 'tenant'): CairnError {
    this.options.metrics.limited(of)
    return new CairnError(429, 'Too many requests.', { headers: { 'Retry-After': '1' } })
  }
}

/** As the refusal says them. */
const NAMES: Readonly<Record<RateClass, string>> = {
  writes: 'writes',
  recalls: 'recalls and searches',
  bulk: 'bulk writes',
  inbox: 'inbox and admin requests',
}

/** `X-RateLimit-*` as they go out. */
export function quotaHeaders({ limit, remaining, resetsAt }: Quota): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetsAt / 1_000)),
  }
}
