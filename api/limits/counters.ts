import { BurstyRateLimiter, type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'

export interface Rate {
  readonly perSecond: number
  /** How many pass at once, at least `perSecond`: what is above it is there again after ten seconds. */
  readonly burst: number
}

/** Of one network address, and of one tenant. */
export interface GatewayRates {
  readonly address: Rate
  readonly tenant: Rate
}

/** What the limiters count by. They reject with the library's `RateLimiterRes`, which is a refusal, or an error of the store. */
export interface Counters {
  readonly address: BurstyRateLimiter
  readonly tenant: BurstyRateLimiter
  /** Counts alone, up to two minutes from the first request on: the limit is the tenant's own. */
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

/** Counts for this process alone. */
export function countInMemory(rates: GatewayRates): Counters {
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
