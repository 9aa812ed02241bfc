import { BurstyRateLimiter, type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'

interface Rate {
  readonly perSecond: number
  /** Requests that may pass at once, at least `perSecond`; what exceeds `perSecond` is refilled every ten seconds. */
  readonly burst: number
}

/** Rates of the gateway limiter: for one network address and for one tenant. */
export interface GatewayRates {
  readonly address: Rate
  readonly tenant: Rate
}

/** Counters of the limiters. They reject with the library's `RateLimiterRes` to refuse, or with an error of their store. */
export interface Counters {
  readonly address: BurstyRateLimiter
  readonly tenant: BurstyRateLimiter
  /** Only counts, and drops each count two minutes after its first request; the caller compares it with the tenant's limit. */
  readonly minute: RateLimiterAbstract
}

interface CounterOptions {
  readonly keyPrefix: string
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

const UNLIMITED = Number.MAX_SAFE_INTEGER

const BURST_SECONDS = 10

/** Creates counters that count for this process alone. */
export function createMemoryCounters(rates: GatewayRates): Counters {
  return createCounters(rates, (options) => new RateLimiterMemory(options))
}

export function createCounters(
  { address, tenant }: GatewayRates,
  make: (options: CounterOptions) => RateLimiterAbstract,
): Counters {
  const bursty = (keyPrefix: string, { perSecond, burst }: Rate) =>
    new BurstyRateLimiter(
      make({ keyPrefix, points: perSecond, duration: 1 }),
      make({ keyPrefix: `${keyPrefix}-burst`, points: burst - perSecond, duration: BURST_SECONDS }),
    )
  return {
    address: bursty('address', address),
    tenant: bursty('tenant', tenant),
    minute: make({ keyPrefix: 'minute', points: UNLIMITED, duration: 120 }),
  }
}
