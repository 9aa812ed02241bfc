import type { RequestHandler } from 'express'
import type { ServerResponse } from 'node:http'
import { isRateClass } from '../limits/rate-class.js'
import { quotaHeaders, type RateLimiter } from '../limits/rate-limiter.js'
import { rateLimitedCallerOf } from '../rate-limited-caller.js'
import { isReplay } from '../replayed-answer.js'
import { step } from './middleware.js'

/** Counts the request and sets the quota headers at once, so that every later response carries them. Throws HttpError 429. */
export function countRequest(rateLimiter: RateLimiter | null): RequestHandler {
  return step(async (context) => {
    const { authenticated, route, response } = context
    if (!rateLimiter || !authenticated) return
    const rateClass = isRateClass(route.rateLimiting) ? route.rateLimiting : null
    const quota = await rateLimiter.admit(rateLimitedCallerOf(authenticated), rateClass)
    if (!quota) return
    if (!response.headersSent) setHeaders(response, quotaHeaders(quota))
    if (!quota.allowed) throw rateLimiter.refusal(quota)
    context.quota = quota
  })
}

/** Uncounts a request whose answer was replayed for its idempotency key. */
export function uncountReplay(rateLimiter: RateLimiter | null): RequestHandler {
  return step(({ response, quota, answer }) => {
    if (!rateLimiter || !quota || !isReplay(answer.headers)) return
    setHeaders(response, quotaHeaders(rateLimiter.uncount(quota)))
  })
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}
