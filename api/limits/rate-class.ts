/** What the application limiter counts apart from one another; `inbox` is that of operators' routes too. */
export const RATE_CLASSES = ['writes', 'recalls', 'bulk', 'inbox'] as const
export type RateClass = (typeof RATE_CLASSES)[number]

/** Requests a minute and key. */
export type RateLimits = Readonly<Record<RateClass, number>>

/**
 * What an operation says in the contract: its class; `none`, which the gateway limiter alone holds; or `exempt`, which nothing
 * does, for probes.
 */
export const RATE_LIMITINGS = [...RATE_CLASSES, 'none', 'exempt'] as const
export type RateLimiting = (typeof RATE_LIMITINGS)[number]

export function isRateClass(limiting: RateLimiting): limiting is RateClass {
  return limiting !== 'none' && limiting !== 'exempt'
}
