import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../domain/principal.js'
import { CairnError, NotFoundError } from '../runtime/errors.js'
import {
  requireKind,
  requireOwnTenant,
  requireTrust,
  type Authenticator,
  type Bearer,
  type TenantClaim,
} from './auth.js'
import type { ApiContext } from './context.js'
import type { CheckedParameters, Contract } from './contract.js'
import { withinDeadline } from './deadline.js'
import { answerOfError, failureForLog, type Answer } from './errors.js'
import type { FairAdmission, Turn } from './limits/fair-admission.js'
import { isRateClass } from './limits/rate-class.js'
import { quotaHeaders, type Caller, type Quota, type RateLimiter } from './limits/rate-limiter.js'
import { CallerGoneError, parseBody, receiveBody, refuseBody, type ReceivedBody } from './request-body.js'
import type { Route } from './routes.js'
import { sendAnswer } from './send-answer.js'

/** An operation as the door calls it; `OperationTable` says what the contract's own are. */
export type AnyOperation = (
  context: ApiContext,
  caller: Principal | null,
  input: CheckedParameters & {
    readonly body: unknown
    readonly signal: AbortSignal
    readonly requestId: string
    readonly leavePlace?: () => void
  },
) => Promise<{ readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }>

export interface DoorLimits {
  /** A body that takes longer is refused with 408. */
  readonly bodyTimeoutMs: number
  readonly lingerMs: number
  /** Requests that take longer are logged as information. */
  readonly slowMs: number
}

export interface DoorOptions {
  readonly contract: Contract
  readonly operations: Readonly<Record<string, AnyOperation>>
  readonly authenticator: Authenticator
  readonly limits: DoorLimits
  /** Null: nothing is limited. */
  readonly rateLimiter: RateLimiter | null
  /** Shares the places of requests at work. */
  readonly admission: FairAdmission | null
  /** Shares the bytes of their bodies. */
  readonly bodyRoom: FairAdmission | null
  /** One request keeps what it began with. */
  readonly currentContext: () => ApiContext
  /** Called after an operation that changed keys or agents. */
  readonly onIdentitiesChanged: () => void
}

/** What is known of a request for its line in the log. */
interface Facts {
  operationId: string
  isPublic: boolean
  tenantId: string | null
}

/** nginx' number for a caller that hung up: in the log and the metrics only. */
const CALLER_GONE = 499

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Takes a request from its first line to its answer. */
export class Door {
  readonly #running = new Set<Promise<unknown>>()
  #closing = false

  /** Throws when an operation of the contract has no function: nothing answers 501 by oversight. */
  constructor(readonly options: DoorOptions) {
    const has = (id: string) => Object.hasOwn(options.operations, id) && typeof options.operations[id] === 'function'
    const missing = options.contract.routes.filter(({ operationId }) => !has(operationId))
    if (missing.length > 0) {
      throw new Error(`operations without a function: ${missing.map(({ operationId }) => operationId).join(', ')}`)
    }
  }

  /** `address` is the caller's, as far as proxies are trusted. Never rejects: what goes wrong is answered. */
  async handle(request: IncomingMessage, response: ServerResponse, address: string | undefined): Promise<void> {
    const started = performance.now()
    const requestId = requestIdOf(request)
    const facts: Facts = { operationId: 'unknown', isPublic: true, tenantId: null }
    response.setHeader('X-Request-Id', requestId)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    let status: number
    let failure: unknown
    try {
      const answer = await this.#answer(request, response, { requestId, facts, address })
      this.#send(request, response, answer, facts)
      status = answer.status
    } catch (error) {
      failure = error
      status = this.#sendError(request, response, error, { requestId, facts })
    }
    this.#report(request, { requestId, facts, status, failure, seconds: (performance.now() - started) / 1_000 })
  }

  /** Every answer from now on closes its connection. */
  close(): void {
    this.#closing = true
  }

  /** Settles when no operation is running, those included that nobody waits for any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    { requestId, facts, address }: Arrival,
  ): Promise<Answer> {
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      throw new CairnError(400, 'A request of HTTP/1.1 names its Host.')
    const [path, query] = splitTarget(request.url ?? '/')
    const match = this.options.contract.match(request.method ?? 'GET', path)
    if (match.kind === 'route') facts.operationId = match.route.operationId
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) await this.options.rateLimiter?.admitAddress(address)
    if (match.kind === 'none') throw new NotFoundError('Route')
    if (match.kind === 'method') {
      throw new CairnError(405, `This path takes ${match.allow}.`, { headers: { Allow: match.allow } })
    }
    const { route, rawParams } = match
    facts.isPublic = route.security === 'public'
    return withinDeadline(response, route.deadlineMs, (signal) => {
      const work = this.#perform(request, response, { route, rawParams, query, requestId, facts, signal })
      this.#running.add(work)
      const settle = () => void this.#running.delete(work)
      work.then(settle, settle)
      return work
    })
  }

  /** Costs nothing to callers without a key that is accepted: it is looked at before the parameters, and the body comes last. */
  async #perform(request: IncomingMessage, response: ServerResponse, at: Performance): Promise<Answer> {
    const { contract, authenticator, currentContext } = this.options
    const { route, signal, facts } = at
    const bearer = await authenticator.authenticate(route, request.headers['x-api-key'])
    const quota = await this.#takeQuota(response, route, bearer)
    requireKind(route, bearer)
    const raw = { params: at.rawParams, query: at.query, headers: request.headers }
    const parameters = contract.checkParameters(route, raw)
    const actingAgent = parameters.headers['X-Agent-ID'] as string | undefined
    const known = bearer?.kind === 'key' ? await authenticator.principalOf(bearer.credential, actingAgent) : null
    if (known) {
      facts.tenantId = known.tenantId
      currentContext().sightings.saw(known)
      requireOwnTenant(known, claimsOf('query', parameters.query))
      requireTrust(route, known)
    }
    const turn = { party: partyOf(bearer), isBulk: route.rateLimiting === 'bulk', signal }
    const received = await this.#receive(request, response, route, turn)
    try {
      signal.throwIfAborted()
      const answer = await this.#work({ route, bearer, known, parameters, received, actingAgent }, turn, at)
      this.#giveBackReplay(response, quota, answer.headers)
      return answer
    } finally {
      received?.room?.leave()
    }
  }

  /**
   * What is done in the request's place. Its body is parsed there too: that takes the one thread, and memory many times its bytes.
   * Room for a body is always taken before a place, and a place never held while room is waited for, so no two wait for each other.
   */
  async #work(presented: Presented, turn: Turn, { route, requestId, facts, signal }: Performance): Promise<Answer> {
    const { admission, operations, currentContext, onIdentitiesChanged } = this.options
    const { parameters, received } = presented
    const place = route.security === 'apiKey' ? await admission?.enter(turn) : null
    const leavePlace = () => place?.leave()
    try {
      const body = received ? this.#readInput(route, received) : undefined
      const caller = await this.#callerOf(presented, body)
      facts.tenantId = caller?.tenantId ?? null
      const input = { ...parameters, body, signal, requestId, leavePlace }
      const {
        status,
        headers = {},
        body: answered,
      } = await operations[route.operationId]!(currentContext(), caller, input)
      if (route.changesIdentities) onIdentitiesChanged()
      return { status, headers, body: answered }
    } finally {
      leavePlace()
    }
  }

  /** The quota goes on the response at once, so that whatever comes of the request carries it. Throws 429. */
  async #takeQuota(response: ServerResponse, route: Route, bearer: Bearer | null): Promise<Quota | null> {
    const { rateLimiter } = this.options
    if (!rateLimiter || !bearer) return null
    const quota = await rateLimiter.admit(
      countedCaller(bearer),
      isRateClass(route.rateLimiting) ? route.rateLimiting : null,
    )
    if (!quota) return null
    setHeaders(response, quotaHeaders(quota))
    if (!quota.allowed) throw rateLimiter.refusal(quota)
    return quota
  }

  /** An answer that was given before does not count again. */
  #giveBackReplay(response: ServerResponse, quota: Quota | null, headers: object = {}): void {
    const { rateLimiter } = this.options
    if (!rateLimiter || !quota || !('Idempotent-Replayed' in headers) || response.headersSent) return
    setHeaders(response, quotaHeaders(rateLimiter.giveBack(quota)))
  }

  /** Null where the route takes none. */
  async #receive(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    turn: Turn,
  ): Promise<ReceivedBody | null> {
    const { limits, bodyRoom } = this.options
    const { bodyTimeoutMs: timeoutMs } = limits
    if (!route.takesBody) {
      await refuseBody(request, response, timeoutMs)
      return null
    }
    const takeRoom = async (bytes: number) => (await bodyRoom?.enter({ ...turn, isBulk: false }, bytes)) ?? null
    return receiveBody(request, response, { bytes: route.bodyLimitBytes, timeoutMs, takeRoom })
  }

  #readInput(route: Route, { bytes }: ReceivedBody): unknown {
    const { text, value } = parseBody(bytes)
    return this.options.contract.checkBody(route, value, text)
  }

  async #callerOf(
    { route, bearer, known, parameters, actingAgent }: Presented,
    body: unknown,
  ): Promise<Principal | null> {
    if (route.security !== 'apiKey') return null
    const inBody = claimsOf('body', body)
    if (known) {
      requireOwnTenant(known, inBody)
      return known
    }
    if (bearer?.kind !== 'admin') throw new CairnError(401, 'Send a key in the X-API-Key header.')
    const claims = [...claimsOf('query', parameters.query), ...inBody]
    const missingAt = [route.takesBody ? 'body' : 'query', 'tenant_id']
    return this.options.authenticator.adminPrincipal(claims, missingAt, actingAgent)
  }

  #send(request: IncomingMessage, response: ServerResponse, answer: Answer, facts: Facts): void {
    if (!facts.isPublic) response.setHeader('Cache-Control', 'no-store')
    sendAnswer(request, response, answer, { lingerMs: this.options.limits.lingerMs, last: this.#closing })
  }

  #sendError(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    { requestId, facts }: { readonly requestId: string; readonly facts: Facts },
  ): number {
    if (error instanceof CallerGoneError || response.destroyed) return CALLER_GONE
    const answer = answerOfError(error, requestId)
    if (response.headersSent) response.destroy()
    else this.#send(request, response, answer, facts)
    return answer.status
  }

  /** One line for each request; a failure is in it, and nowhere else. */
  #report(request: IncomingMessage, { requestId, facts, status, failure, seconds }: Outcome): void {
    const { metrics, logger } = this.options.currentContext()
    metrics.request(facts.operationId, status, seconds)
    const ms = Math.round(seconds * 10_000) / 10
    const { method } = request
    const { operationId, tenantId } = facts
    const line = { requestId, method, operationId, status, ms, ...(tenantId !== null && { tenantId }) }
    if (status === 500) logger.error({ ...line, failure: failureForLog(failure) }, 'request failed')
    else if (status > 500) logger.warn({ ...line, failure: failureForLog(failure) }, 'request not answered')
    else if (ms >= this.options.limits.slowMs) logger.info(line, 'slow request')
    else logger.debug(line, 'request')
  }
}

interface Arrival {
  readonly requestId: string
  readonly facts: Facts
  readonly address: string | undefined
}

interface Performance {
  readonly route: Route
  readonly rawParams: Readonly<Record<string, string>>
  readonly query: string
  readonly requestId: string
  readonly facts: Facts
  readonly signal: AbortSignal
}

interface Presented {
  readonly route: Route
  readonly bearer: Bearer | null
  readonly known: Principal | null
  readonly parameters: CheckedParameters
  /** Null where the route takes no body. */
  readonly received: ReceivedBody | null
  readonly actingAgent: string | undefined
}

interface Outcome {
  readonly requestId: string
  readonly facts: Facts
  readonly status: number
  readonly failure: unknown
  readonly seconds: number
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Path and query as they came; a proxy's absolute form is taken for what it stands for. Throws 400 for raw non-ASCII. */
function splitTarget(url: string): [path: string, query: string] {
  if (!/^[\x21-\x7e]*$/.test(url)) throw new CairnError(400, 'The path and the query must be percent-encoded.')
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** The admin credential is one key, of no tenant. */
function countedCaller(bearer: Bearer): Caller {
  if (bearer.kind === 'admin') return { keyId: 'admin', tenantId: null, limits: {} }
  const { keyId, tenantId, rateLimits } = bearer.credential
  return { keyId, tenantId, limits: rateLimits }
}

/** With whom a request shares what there is; the admin credential is a party of its own, whichever tenant it acts for. */
function partyOf(bearer: Bearer | null): string {
  if (bearer === null) return 'nobody'
  return bearer.kind === 'admin' ? 'admin' : `tenant:${bearer.credential.tenantId}`
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

function claimsOf(place: 'query' | 'body', values: unknown): TenantClaim[] {
  const tenantId = (values as { tenant_id?: unknown } | null | undefined)?.tenant_id
  return tenantId === undefined ? [] : [{ loc: [place, 'tenant_id'], tenantId }]
}
