import type { RequestHandler } from 'express'
import { TimeoutError } from '../../runtime/errors.js'
import { apiKeyOf, type Authenticator } from '../auth.js'
import { HttpError } from '../errors.js'
import type { FairAdmission } from '../limits/fair-admission.js'
import type { RateLimiter } from '../limits/rate-limiter.js'
import { type MessageEndpoint, routeOfEndpoint } from '../message-endpoint.js'
import { NO_BODY } from '../operation-call.js'
import { CallerGoneError, receiveBody as receive, refuseBody } from '../request-body.js'
import { RequestContext, splitTarget } from '../request-context.js'
import type { Contract } from '../validation/contract.js'
import { MAX_SHOWN_PATH } from '../validation/near-route.js'
import type { Route } from '../validation/routes.js'
import { setContext, type Step } from './middleware.js'

/** Creates the request's context and sets the headers that every response carries. Throws HttpError 400 for a request without Host. */
export const beginRequest: RequestHandler = (request, response, next) => {
  const context = new RequestContext(request, response, request.ip)
  setContext(response, context)
  response.setHeader('X-Request-Id', context.requestId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new HttpError(400, 'HTTP/1.1 requests need a Host header.')
  next()
}

/** Looks for the contract's operation of the request, which may be none: an address is limited whatever it asks for. */
export function findRoute(contract: Contract): Step {
  return (context) => {
    const { request } = context
    const [path, query] = splitTarget(request.url ?? '/')
    context.match = contract.match(request.method ?? 'GET', path)
    context.query = query
    if (context.match.kind === 'route') context.operationId = context.match.route.operationId
  }
}

/** Takes the one route of an endpoint beside the contract, whatever query its URL has. */
export function takeRoute(endpoint: MessageEndpoint): Step {
  const route = routeOfEndpoint(endpoint)
  return (context) => {
    const { method, request } = context
    context.refusalOf = (answer) => endpoint.refusalOf(answer, null)
    const isRoot = splitTarget(request.url ?? '/')[0].replace(/\/$/, '') === ''
    context.query = ''
    context.operationId = endpoint.name
    if (!isRoot) context.match = { kind: 'none' }
    else if (method === 'POST') context.match = { kind: 'route', route, rawParams: {} }
    else context.match = { kind: 'method', allow: 'POST' }
  }
}

/** Limits the requests of a network address, before anything else is known of its caller. Throws HttpError 429. */
export function limitAddress(rateLimiter: RateLimiter | null): Step {
  return ({ match, address }) => {
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) return rateLimiter?.admitAddress(address)
  }
}

/**
 * Throws HttpError 404 where no operation was found, and says which is probably meant and where all are described; HttpError 405 where the
 * path has others.
 */
export function requireRoute(contract: Contract, describedAt: string | null): Step {
  return (context) => {
    const { match } = context
    if (match.kind === 'none') throw new HttpError(404, noRoute(context, contract, describedAt))
    if (match.kind === 'method')
      throw new HttpError(405, `This path allows ${match.allow}.`, { headers: { Allow: match.allow } })
    context.route = match.route
    context.rawParams = match.rawParams
    context.isPublic = match.route.security === 'public'
  }
}

function noRoute({ method, target, match }: RequestContext, contract: Contract, describedAt: string | null): string {
  if (match.kind === 'none' && match.because !== undefined) return match.because
  const [path] = splitTarget(target)
  const near = contract.near(method, path)
  const shown = path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path
  const hint = near === null ? '' : `; did you mean ${near}?`
  const described = describedAt === null ? '' : ` The API is described at ${describedAt}.`
  return `There is no route ${method} ${shown}${hint || '.'}${described}`
}

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

/** Finds out whose key the request carries. Throws 401 for one that is not accepted. */
export function authenticate(authenticator: Authenticator): Step {
  return async (context) => {
    if (context.route.security === 'public') return
    context.key = apiKeyOf(context.request)
    context.authenticated = await authenticator.authenticate(context.key)
  }
}

/** Receives the body, as soon as there is memory for it. Throws 408, 413, 415, 422 on a route that takes none, and 429 or 503 without memory. */
export function receiveBody(bodyMemory: FairAdmission | null, timeoutMs: number): Step {
  return async (context) => {
    const { request, response, route } = context
    if (!route.takesBody) return refuseBody(request, response, timeoutMs)
    const admissionRequest = { ...context.admissionRequest, isBulk: false }
    const reserve = async (bytes: number) => (await bodyMemory?.acquire(admissionRequest, bytes)) ?? null
    const received = await receive(request, response, { bytes: route.bodyLimitBytes, timeoutMs, reserve })
    context.received = received
    // The response, and with it this context, lives until its last byte is written: a slow reader must not keep the body alive.
    context.onRelease(() => {
      context.received = null
      context.body = NO_BODY
      received.reservation?.release()
    })
  }
}
