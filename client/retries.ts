import { ConnectionError, ServiceError, TimeoutError } from './errors.js'

export interface RetryPolicy {
  /** Attempts after the first one. */
  readonly maxRetries: number
  /** Longest wait before the first retry, in milliseconds; it doubles with each. */
  readonly retryDelayMs: number
}

const LONGEST_DELAY_MS = 30_000
/** A service that asks for more is not waited for: the caller gets the error, with the seconds. */
const LONGEST_RETRY_AFTER_S = 60

/**
 * Calls `attempt` again while the service is busy, unavailable or does not answer. A request that is not `repeatable` is
 * sent again only when it has certainly not been carried out. Throws the last error, or the signal's reason.
 */
export async function withRetries<T>(
  { maxRetries, retryDelayMs }: RetryPolicy,
  { isRepeatable, signal }: { readonly isRepeatable: boolean; readonly signal: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt()
    } catch (error) {
      if (retries >= maxRetries || !isTemporary(error, isRepeatable)) throw error
      const retryAfterS = error instanceof ServiceError ? (error.retryAfterS ?? 0) : 0
      if (retryAfterS > LONGEST_RETRY_AFTER_S) throw error
      // Full jitter: clients that were refused together do not return together.
      const jitterMs = Math.random() * Math.min(LONGEST_DELAY_MS, retryDelayMs * 2 ** retries)
      await sleep(retryAfterS * 1000 + jitterMs, signal)
    }
  }
}

const UNAVAILABLE: ReadonlySet<number> = new Set([408, 502, 503, 504])

function isTemporary(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ConnectionError) return isRepeatable || error.isUnsent
  if (error instanceof TimeoutError) return isRepeatable
  if (!(error instanceof ServiceError)) return false
  // A limiter refuses before anything is done.
  if (error.status === 429) return true
  // A conflict with the same write that is still in progress says when to try again; other conflicts stay.
  return isRepeatable && (UNAVAILABLE.has(error.status) || (error.status === 409 && error.retryAfterS !== null))
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as it is aborted. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await unlessAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns what the promise resolves with. Rejects with the signal's reason as soon as it is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  signal.throwIfAborted()
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    // A signal may live as long as its process: nothing of a call remains on it.
    signal.removeEventListener('abort', onAbort)
  }
}
