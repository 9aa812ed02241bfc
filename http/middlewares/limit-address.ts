import type { RateLimiter } from '../limits/rate-limiter.js'
import type { Step } from './middleware.js'

/** Limits the requests of a network address, before anything else is known of its caller. Throws HttpError 429. */
export function limitAddress(rateLimiter: RateLimiter | null): Step {
  return ({ match, address }) => {
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) return rateLimiter?.admitAddress(address)
  }
}
