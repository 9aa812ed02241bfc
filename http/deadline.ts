import type { ServerResponse } from 'node:http'
import { TimeoutError } from '../runtime/errors.js'
import { CallerGoneError } from './request-body.js'

/**
 * Returns the result of `work`. Rejects with TimeoutError after `deadlineMs`, and with CallerGoneError when the caller disconnects.
 * The signal is aborted in both cases; work that ignores it runs on and its result is dropped.
 */
export async function withinDeadline<T>(
  response: ServerResponse,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  // Registered before anything in `work` can listen, so that this error is the one that is returned.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  const message = `The request took longer than ${deadlineMs / 1_000} seconds.`
  const timer = setTimeout(() => controller.abort(new TimeoutError(message)), deadlineMs)
  const onDisconnect = () => controller.abort(new CallerGoneError())
  response.once('close', onDisconnect)
  try {
    return await Promise.race([work(signal), aborted])
  } finally {
    clearTimeout(timer)
    response.off('close', onDisconnect)
  }
}
