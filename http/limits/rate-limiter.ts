import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../../runtime/clock.js'
import type { Metrics } from '../../runtime/metrics.js'
import type { AuthenticatedCredential } from '../auth.js'
import { HttpError } from '../errors.js'
import type { RateClass, RateLimits } from '../rate-class.js'
import { networkOf } from './caller-address.js'
import type { Counters } from './counters.js'

export interface RateLimiterOptions {
  readonly counters: Counters
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'limited' | 'passedUnlimited'>
  /** Limits of tenants that have none of their own. */
  readonly limits: RateLimits
}

/** A caller whose requests are counted: a key and the tenant that it belongs to. The admin credential is one key without a tenant. */
interface RateLimitedCaller {
  readonly keyId: string
  readonly tenantId: string | null
  /** The tenant's own limits, which take precedence over the service's. */
  readonly limits: Partial<RateLimits>
}

/** A key's remaining requests of one class in the current minute. */
export interface Quota {
  readonly rateClass: RateClass
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetsAt: number
  /** The key of the counter, which changes every minute. */
  readonly counter: string
}

const WINDOW_MS = 60_000

/**
 * Combines the gateway limiter, which sends only `Retry-After`, and the application limiter, whose quota is in the headers of every
 * response of a limited route. While the counters' store is unavailable, every request passes.
 */
export class RateLimiter {
  constructor(private readonly options: RateLimiterOptions) {}

  /** Counts a request for its network address, before anything else is known of the caller. Throws HttpError 429. */
  async admitAddress(address: string | undefined): Promise<void> {
    if (!(await this.#passes('address', networkOf(address)))) throw this.#refusedByGateway('address')
  }

  /**
   * Counts a request for its tenant in the gateway limiter, which throws HttpError 429, and for its key in the application limiter.
   * Returns the key's quota, null for a route without a class. Check `allowed`: a refused request also carries the quota headers.
   */
  async admit({ tenantId, ...caller }: RateLimitedCaller, rateClass: RateClass | null): Promise<Quota | null> {
    const [isAdmitted, quota] = await Promise.all([
      tenantId === null || this.#passes('tenant', tenantId),
      rateClass === null ? null : this.#count(caller, rateClass),
    ])
    // A request that either limiter refuses does not count.
    if (quota && !(isAdmitted && quota.allowed)) this.uncount(quota)
    if (!isAdmitted) throw this.#refusedByGateway('tenant')
    if (quota?.allowed === false) this.options.metrics.limited(quota.rateClass)
    return quota
  }

  /** Uncounts a request and returns the resulting quota. Does not wait for the store. */
  uncount(quota: Quota): Quota {
    this.options.counters.minute.reward(quota.counter).catch(() => undefined)
    return { ...quota, remaining: Math.min(quota.limit, quota.remaining + 1) }
  }

  refusal({ rateClass, limit, resetsAt }: Quota): HttpError {
    const seconds = Math.max(1, Math.ceil((resetsAt - this.options.clock.now()) / 1_000))
    const message = `The limit of ${limit} ${CLASS_NAMES[rateClass]} per minute for this key is used up. It resets in ${seconds} s.`
    return new HttpError(429, message, { retryAfterS: seconds })
  }

  async #count({ keyId, limits }: Omit<RateLimitedCaller, 'tenantId'>, rateClass: RateClass): Promise<Quota> {
    const startedAt = Math.floor(this.options.clock.now() / WINDOW_MS) * WINDOW_MS
    const counter = `${rateClass}:${keyId}:${startedAt}`
    const limit = limits[rateClass] ?? this.options.limits[rateClass]
    const used = await this.#increment(counter)
    const remaining = Math.max(0, limit - used)
    return { rateClass, allowed: used <= limit, limit, remaining, resetsAt: startedAt + WINDOW_MS, counter }
  }

  async #increment(counter: string): Promise<number> {
    try {
      return (await this.options.counters.minute.consume(counter)).consumedPoints
    } catch {
      this.options.metrics.passedUnlimited()
      return 0
    }
  }

  async #passes(gateway: 'address' | 'tenant', key: string): Promise<boolean> {
    try {
      await this.options.counters[gateway].consume(key)
      return true
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false
      this.options.metrics.passedUnlimited()
      return true
    }
  }

  #refusedByGateway(of: 'address' | 'tenant'): HttpError {
    this.options.metrics.limited(of)
    return new HttpError(429, 'Too many requests.', { retryAfterS: 1 })
  }
}

/** Names of the classes in refusals. */
const CLASS_NAMES: Readonly<Record<RateClass, string>> = {
  writes: 'writes',
  recalls: 'recalls and searches',
  bulk: 'bulk writes',
  inbox: 'inbox and admin requests',
  messages: 'messages',
}

/** Returns the `X-RateLimit-*` headers of a quota. */
export function quotaHeaders({ limit, remaining, resetsAt }: Quota): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetsAt / 1_000)),
  }
}

/** Returns the caller whose requests are counted. The admin credential counts as one key without a tenant. */
export function rateLimitedCallerOf(authenticated: AuthenticatedCredential): RateLimitedCaller {
  if (authenticated.kind === 'admin') return { keyId: 'admin', tenantId: null, limits: {} }
  const { keyId, tenantId, rateLimits } = authenticated.credential
  return { keyId, tenantId, limits: rateLimits }
}
