import type { RequestHandler } from 'express'
import type { RateLimiter } from '../limits/rate-limiter.js'
import { step } from './middleware.js'

/** Limits the requests of a network address, before anything else is known of its caller. Throws HttpError 429. */
export function limitAddress(rateLimiter: RateLimiter | null): RequestHandler {
  return step(({ match, address }) => {
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) return rateLimiter?.admitAddress(address)
  })
}
