import { isRateClass } from '../rate-class.js'
import { quotaHeaders, type RateLimiter } from '../limits/rate-limiter.js'
import { rateLimitedCallerOf } from '../rate-limited-caller.js'
import { isReplay } from '../replayed-answer.js'
import type { CallStep } from './middleware.js'

/** Counts the request and sets the quota headers at once, so that every later response carries them. Throws HttpError 429. */
export function countRequest(rateLimiter: RateLimiter | null): CallStep {
  return async (call) => {
    const { authenticated, route } = call
    if (!rateLimiter || !authenticated) return
    const rateClass = isRateClass(route.rateLimiting) ? route.rateLimiting : null
    const quota = await rateLimiter.admit(rateLimitedCallerOf(authenticated), rateClass)
    if (!quota) return
    call.setHeaders(quotaHeaders(quota))
    if (!quota.allowed) throw rateLimiter.refusal(quota)
    call.quota = quota
  }
}

/** Uncounts a request whose answer was replayed for its idempotency key. */
export function uncountReplay(rateLimiter: RateLimiter | null): CallStep {
  return (call) => {
    const { quota, answer } = call
    if (!rateLimiter || !quota || !isReplay(answer.headers)) return
    call.setHeaders(quotaHeaders(rateLimiter.uncount(quota)))
  }
}
