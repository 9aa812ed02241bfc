import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../domain/principal.js'
import { NotFoundError } from '../runtime/errors.js'
import type { CheckedBody } from './validation/body-reader.js'
import type { CheckedParameters, Contract } from './validation/contract.js'
import type { Route } from './validation/routes.js'
import type { FairAdmission, AdmissionRequest } from './limits/fair-admission.js'
import type { Admission } from './limits/admission.js'
import { isRateClass } from './limits/rate-class.js'
import { quotaHeaders, type Quota, type RateLimiter } from './limits/rate-limiter.js'
import { callsWithPermit } from '../runtime/external-calls.js'
import {
  claimsOf,
  apiKeyOf,
  requireKind,
  requireOwnTenant,
  requireTrust,
  type Authenticator,
  type AuthenticatedCredential,
  type TenantClaim,
} from './auth.js'
import { withinDeadline } from './deadline.js'
import { answerOfError, type Answer, HttpError } from './errors.js'
import { isReplay } from './replayed-answer.js'
import type { Operations, TransportContext } from './operation.js'
import { createRequestContext, logRequest, splitTarget, type RequestContext } from './request-context.js'
import { rateLimitedCallerOf, tenantKeyOf } from './rate-limited-caller.js'
import { CallerGoneError, receiveBody, refuseBody, type ReceivedBody } from './request-body.js'
import { sendAnswer } from './send-answer.js'

export interface RequestHandlerLimits {
  /** Milliseconds until a body that is still incomplete is refused with 408. */
  readonly bodyTimeoutMs: number
  readonly lingerMs: number
  /** Milliseconds from which a request is logged at level info. */
  readonly slowMs: number
}

export interface RequestHandlerOptions<Context extends TransportContext> {
  readonly contract: Contract
  readonly operations: Operations<Context>
  readonly authenticator: Authenticator
  readonly limits: RequestHandlerLimits
  /** Null means no rate limits. */
  readonly rateLimiter: RateLimiter | null
  /** Limits concurrent requests; null means no limit. */
  readonly admission: Admission | null
  /** Budget in bytes for the bodies of requests; null means no limit. */
  readonly bodyMemory: FairAdmission | null
  /** Returns the context for an operation that starts now; the operation keeps it to its end. */
  readonly currentContext: () => Context
  /** Runs after an operation that changed keys or agents. */
  readonly onIdentitiesChanged: () => void
}

/** The route and the unparsed parameters of a request's target. */
interface RequestTarget {
  readonly route: Route
  readonly rawParams: Readonly<Record<string, string>>
  readonly query: string
}

/** A request whose key and parameters were accepted on arrival. Its credential is checked once more before the operation runs. */
interface IdentifiedRequest {
  readonly route: Route
  /** The key as sent; null on public routes. */
  readonly key: string | null
  readonly authenticated: AuthenticatedCredential | null
  readonly parameters: CheckedParameters
  readonly actingAgent: string | undefined
  readonly quota: Quota | null
}

/** Status for a caller that disconnected, as nginx writes it: for the log and the metrics only. */
const CLIENT_CLOSED_REQUEST = 499

const NO_BODY: CheckedBody = { value: undefined, itemFaults: [] }

/** Handles each HTTP request from its request line to its response. */
export class RequestHandler<Context extends TransportContext> {
  readonly #running = new Set<Promise<unknown>>()
  #closing = false

  /** Throws when an operation of the contract has no function, so that no route answers 501 by oversight. */
  constructor(readonly options: RequestHandlerOptions<Context>) {
    const has = (id: string) => Object.hasOwn(options.operations, id) && typeof options.operations[id] === 'function'
    const missing = options.contract.routes.filter(({ operationId }) => !has(operationId))
    if (missing.length > 0) {
      throw new Error(`operations without a function: ${missing.map(({ operationId }) => operationId).join(', ')}`)
    }
  }

  /** Answers one request. Never rejects: failures become responses. `address` is the caller's, as far as proxies are trusted. */
  async handle(request: IncomingMessage, response: ServerResponse, address: string | undefined): Promise<void> {
    const started = performance.now()
    const requestContext = createRequestContext(request, response, address)
    let status: number
    let failure: unknown
    try {
      const answer = await this.#answer(requestContext)
      this.#send(requestContext, answer)
      status = answer.status
    } catch (error) {
      failure = error
      status = this.#sendError(requestContext, error)
    }
    const seconds = (performance.now() - started) / 1_000
    logRequest(this.options.currentContext(), requestContext, {
      status,
      failure,
      seconds,
      slowMs: this.options.limits.slowMs,
    })
  }

  /** Makes every later response close its connection. */
  close(): void {
    this.#closing = true
  }

  /** Resolves when no operation is running, including those whose caller no longer waits. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #answer(requestContext: RequestContext): Promise<Answer> {
    const { request, response, address } = requestContext
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      throw new HttpError(400, 'HTTP/1.1 requests need a Host header.')
    const [path, query] = splitTarget(request.url ?? '/')
    const match = this.options.contract.match(request.method ?? 'GET', path)
    if (match.kind === 'route') requestContext.operationId = match.route.operationId
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) await this.options.rateLimiter?.admitAddress(address)
    if (match.kind === 'none') throw new NotFoundError('Route')
    if (match.kind === 'method') {
      throw new HttpError(405, `This path allows ${match.allow}.`, { headers: { Allow: match.allow } })
    }
    const { route, rawParams } = match
    requestContext.isPublic = route.security === 'public'
    return withinDeadline(response, route.deadlineMs, (signal) => {
      const work = this.#perform(requestContext, { route, rawParams, query }, signal)
      this.#running.add(work)
      const settle = () => void this.#running.delete(work)
      work.then(settle, settle)
      return work
    })
  }

  async #perform(requestContext: RequestContext, target: RequestTarget, signal: AbortSignal): Promise<Answer> {
    const identified = await this.#identify(requestContext, target)
    const { route, authenticated, quota } = identified
    const { rateLimiting } = route
    const admissionRequest = {
      tenant: tenantKeyOf(authenticated),
      isBulk: rateLimiting === 'bulk',
      callsOtherServices: rateLimiting === 'recalls',
      signal,
    }
    const received = await this.#receive(requestContext, route, admissionRequest)
    try {
      signal.throwIfAborted()
      const answer = await this.#runOperation(requestContext, identified, received, admissionRequest)
      this.#uncountReplay(requestContext, quota, answer.headers)
      return answer
    } finally {
      received?.reservation?.release()
    }
  }

  /** Checks the key before the parameters, and the body comes last: a caller without an accepted key costs next to nothing. */
  async #identify(
    requestContext: RequestContext,
    { route, rawParams, query }: RequestTarget,
  ): Promise<IdentifiedRequest> {
    const { contract, authenticator, currentContext } = this.options
    const { headers } = requestContext.request
    const key = route.security === 'public' ? null : apiKeyOf(requestContext.request)
    const authenticated = key === null ? null : await authenticator.authenticate(key)
    const quota = await this.#countRequest(requestContext.response, route, authenticated)
    if (authenticated) requireKind(route, authenticated)
    const parameters = contract.checkParameters(route, { params: rawParams, query, headers })
    const actingAgent = parameters.headers['X-Agent-ID'] as string | undefined
    if (authenticated?.kind === 'key') {
      const known = await authenticator.principalOf(authenticated.credential, actingAgent)
      requestContext.tenantId = known.tenantId
      currentContext().lastSeenTracker.touch(known)
      requireAllowed(route, known, claimsOf('query', parameters.query))
    }
    return { route, key, authenticated, parameters, actingAgent, quota }
  }

  /** Counts the request and sets the quota headers at once, so that every later response carries them. Throws 429. */
  async #countRequest(
    response: ServerResponse,
    route: Route,
    authenticated: AuthenticatedCredential | null,
  ): Promise<Quota | null> {
    const { rateLimiter } = this.options
    if (!rateLimiter || !authenticated) return null
    const quota = await rateLimiter.admit(
      rateLimitedCallerOf(authenticated),
      isRateClass(route.rateLimiting) ? route.rateLimiting : null,
    )
    if (!quota) return null
    setHeaders(response, quotaHeaders(quota))
    if (!quota.allowed) throw rateLimiter.refusal(quota)
    return quota
  }

  /** Uncounts a request whose answer was replayed for its idempotency key. */
  #uncountReplay({ response }: RequestContext, quota: Quota | null, headers: object): void {
    const { rateLimiter } = this.options
    if (!rateLimiter || !quota || !isReplay(headers) || response.headersSent) return
    setHeaders(response, quotaHeaders(rateLimiter.uncount(quota)))
  }

  /** Reads the request's body. Returns null on routes that take none. */
  async #receive(
    { request, response }: RequestContext,
    route: Route,
    admissionRequest: AdmissionRequest,
  ): Promise<ReceivedBody | null> {
    const { limits, bodyMemory } = this.options
    const { bodyTimeoutMs: timeoutMs } = limits
    if (!route.takesBody) {
      await refuseBody(request, response, timeoutMs)
      return null
    }
    const reserve = async (bytes: number) =>
      (await bodyMemory?.acquire({ ...admissionRequest, isBulk: false }, bytes)) ?? null
    return receiveBody(request, response, { bytes: route.bodyLimitBytes, timeoutMs, reserve })
  }

  /**
   * Runs the operation under a permit. The body is parsed under it too: parsing occupies the event loop, and takes memory many times
   * the body's bytes. Body memory is always reserved before the permit is acquired, and no permit is held while waiting for body memory,
   * so two requests cannot deadlock.
   */
  async #runOperation(
    requestContext: RequestContext,
    identified: IdentifiedRequest,
    received: ReceivedBody | null,
    admissionRequest: AdmissionRequest,
  ): Promise<Answer> {
    const { contract, admission, operations, currentContext, onIdentitiesChanged } = this.options
    const { route, parameters } = identified
    const permit = route.security === 'apiKey' ? await admission?.permits.acquire(admissionRequest) : null
    const externalCalls = permit && admission ? admission.externalCalls(permit, admissionRequest) : callsWithPermit
    try {
      const { value: body, itemFaults } = received
        ? await contract.readBody(route, received.bytes, admissionRequest.signal)
        : NO_BODY
      const caller = await this.#reauthenticate(identified, body)
      requestContext.tenantId = caller?.tenantId ?? null
      const { requestId } = requestContext
      const input = { ...parameters, body, itemFaults, signal: admissionRequest.signal, requestId, externalCalls }
      const answer = await operations[route.operationId]!(currentContext(), caller, input)
      if (route.changesIdentities) onIdentitiesChanged()
      return { status: answer.status, headers: answer.headers ?? {}, body: answer.body }
    } finally {
      permit?.release()
    }
  }

  /**
   * Returns the principal that the operation runs for, as of now: since its key was first checked, the request may have spent a long time
   * sending its body and waiting for a permit. Lookups are cached for a second, so this rarely queries the database. Throws 401 when the
   * key is no longer accepted, 403 when its principal may no longer do this.
   */
  async #reauthenticate(identified: IdentifiedRequest, body: unknown): Promise<Principal | null> {
    const { route, key, parameters, actingAgent } = identified
    if (key === null) return null
    const { authenticator } = this.options
    const authenticated = await authenticator.authenticate(key)
    requireKind(route, authenticated)
    if (route.security !== 'apiKey') return null
    const claims = [...claimsOf('query', parameters.query), ...claimsOf('body', body)]
    if (authenticated.kind === 'key') {
      const principal = await authenticator.principalOf(authenticated.credential, actingAgent)
      requireAllowed(route, principal, claims)
      return principal
    }
    const missingAt = [route.takesBody ? 'body' : 'query', 'tenant_id']
    return authenticator.adminPrincipal(claims, missingAt, actingAgent)
  }

  #send({ request, response, isPublic }: RequestContext, answer: Answer): void {
    if (!isPublic) response.setHeader('Cache-Control', 'no-store')
    sendAnswer(request, response, answer, { lingerMs: this.options.limits.lingerMs, closeConnection: this.#closing })
  }

  #sendError(requestContext: RequestContext, error: unknown): number {
    const { response, requestId } = requestContext
    if (error instanceof CallerGoneError || response.destroyed) return CLIENT_CLOSED_REQUEST
    const answer = answerOfError(error, requestId)
    if (response.headersSent) response.destroy()
    else this.#send(requestContext, answer)
    return answer.status
  }
}

/** Throws 403 when a request names a tenant other than its credential's, or needs more trust than the principal has. */
function requireAllowed(route: Route, principal: Principal, claims: readonly TenantClaim[]): void {
  requireOwnTenant(principal, claims)
  requireTrust(route, principal)
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}
