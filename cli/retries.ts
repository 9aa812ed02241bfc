import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, ServiceRefusal } from './service-client.js'

const TRIES = 8

/**
 * Repeats `work`, which must be idempotent, while the service is unavailable or busy: first after `retryMs`
 * milliseconds, then after twice as long each time. Throws the last error after 8 attempts.
 */
export async function withRetries<T>(retryMs: number, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const pause = tries < TRIES ? pauseAfter(error, retryMs * 2 ** (tries - 1)) : null
      if (pause === null) throw error
      await sleep(pause)
    }
  }
}

/** Returns the milliseconds to wait; null when another attempt would not help. */
function pauseAfter(error: unknown, standard: number): number | null {
  if (error instanceof NoAnswer) return standard
  if (!(error instanceof ServiceRefusal)) return null
  const inFlight = error.status === 409 && error.retryAfter !== null
  if (!inFlight && ![429, 502, 503, 504].includes(error.status)) return null
  return error.retryAfter === null ? standard : Math.max(standard, error.retryAfter * 1000)
}
