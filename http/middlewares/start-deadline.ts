import { TimeoutError } from '../../runtime/errors.js'
import { CallerGoneError } from '../request-body.js'
import type { RequestContext } from '../request-context.js'
import type { Route } from '../validation/routes.js'
import type { Step } from './middleware.js'

/**
 * Limits the time of everything that follows. After the route's deadline the request is answered with 504, and when the caller disconnects
 * with nothing; in both cases its signal is aborted. Work that ignores the signal runs on, keeps its permit, and its result is dropped.
 * `onBegin` and the function that it returns are called when such work begins and has ended.
 */
export function startDeadline(
  answerError: (error: unknown, context: RequestContext) => void,
  onBegin: () => () => void,
): Step {
  return (context) => {
    const { response, route } = context
    const controller = new AbortController()
    const abort = (reason: Error) => {
      stop()
      controller.abort(reason)
      try {
        answerError(reason, context)
      } catch {
        // Thrown from a timer or a listener, this would end the process.
        response.destroy()
      }
    }
    const stopTimer = startTimer(route, abort)
    const onDisconnect = () => abort(new CallerGoneError())
    const stop = () => {
      stopTimer()
      response.off('close', onDisconnect)
    }
    response.once('close', onDisconnect)
    context.signal = controller.signal
    context.onRelease(onBegin())
    context.onRelease(stop)
    // One that left while its address was looked up tells nobody again.
    if (response.destroyed) onDisconnect()
  }
}

/** Calls `onPassed` once the route's time is over. Returns a function that stops the timer. */
export function startTimer(
  { deadlineMs }: Pick<Route, 'deadlineMs'>,
  onPassed: (error: TimeoutError) => void,
): () => void {
  const pass = () => onPassed(new TimeoutError(`The request took longer than ${deadlineMs / 1_000} seconds.`))
  const timer = setTimeout(pass, deadlineMs)
  return () => clearTimeout(timer)
}
