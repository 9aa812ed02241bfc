/**
 * Classes of requests that the application limiter counts separately; `inbox` includes operators' routes, `messages` are those of endpoints
 * beside the contract.
 */
const RATE_CLASSES = ['writes', 'recalls', 'bulk', 'inbox', 'messages'] as const
export type RateClass = (typeof RATE_CLASSES)[number]

/** Requests per minute and key, by class. */
export type RateLimits = Readonly<Record<RateClass, number>>

/**
 * Values of an operation's `x-rate-limit` in the contract: its class; `none` for the gateway limiter alone; or `exempt` for no limit at
 * all, for probes.
 */
export const RATE_LIMITINGS = [...RATE_CLASSES, 'none', 'exempt'] as const
export type RateLimiting = (typeof RATE_LIMITINGS)[number]

export function isRateClass(limiting: RateLimiting): limiting is RateClass {
  return limiting !== 'none' && limiting !== 'exempt'
}
