import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswerError, ServiceRefusal } from './service-client.js'

const MAX_ATTEMPTS = 8

/**
 * Repeats `work`, which must be idempotent, while the service is unavailable or busy: first after `retryMs`
 * milliseconds, then after twice as long each time. Throws the last error after 8 attempts.
 */
export async function withRetries<T>(retryMs: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const pause = attempt < MAX_ATTEMPTS ? pauseAfter(error, retryMs * 2 ** (attempt - 1)) : null
      if (pause === null) throw error
      await sleep(pause)
    }
  }
}

/** Returns the milliseconds to wait; null when another attempt would not help. */
function pauseAfter(error: unknown, defaultPause: number): number | null {
  if (error instanceof NoAnswerError) return defaultPause
  if (!(error instanceof ServiceRefusal && error.isTemporary)) return null
  return error.retryAfterS === null ? defaultPause : Math.max(defaultPause, error.retryAfterS * 1000)
}
