import { DelegateBackoff, handleWhen, type IRetryBackoffContext, retry } from 'cockatiel'
import { NoAnswerError, ServiceRefusal } from './service-client.js'

const MAX_RETRIES = 7

/**
 * Repeats `work`, which must be idempotent, while the service is unavailable or busy: first after `retryMs`
 * milliseconds, then after twice as long each time, or as `Retry-After` says if that is longer. Throws the last error
 * after 8 attempts.
 */
export function withRetries<T>(retryMs: number, work: () => Promise<T>): Promise<T> {
  const backoff = new DelegateBackoff<IRetryBackoffContext<unknown>>(({ attempt, result }) =>
    Math.max(retryMs * 2 ** (attempt - 1), 'error' in result ? retryAfterMs(result.error) : 0),
  )
  return retry(handleWhen(isTemporary), { maxAttempts: MAX_RETRIES, backoff }).execute(work)
}

function isTemporary(error: Error): boolean {
  return error instanceof NoAnswerError || (error instanceof ServiceRefusal && error.isTemporary)
}

function retryAfterMs(error: Error): number {
  return error instanceof ServiceRefusal ? (error.retryAfterS ?? 0) * 1000 : 0
}
