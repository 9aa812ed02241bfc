import cors from 'cors'
import type { RequestHandler } from 'express'

/** Headers of answers that scripts read, beside those that browsers always show them. */
const EXPOSED = [
  'ETag',
  'Idempotent-Replayed',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
]
/** Seconds that a browser remembers what it may send. */
const MAX_AGE_S = 600

/**
 * Lets scripts of pages of these origins call, and read the answers. Answers their preflight requests, which carry no key. No cookie is ever
 * involved: a page has only the key that it was given.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({ origin: [...origins], exposedHeaders: EXPOSED, maxAge: MAX_AGE_S })
}
