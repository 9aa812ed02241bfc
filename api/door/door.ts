import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../../domain/principal.js'
import { CairnError, NotFoundError } from '../../runtime/errors.js'
import type { ApiContext } from '../context.js'
import type { CheckedBody } from '../contract/body-reader.js'
import type { CheckedParameters, Contract } from '../contract/contract.js'
import type { Route } from '../contract/routes.js'
import type { FairAdmission, Turn } from '../limits/fair-admission.js'
import type { Admission } from '../limits/shares.js'
import { isRateClass } from '../limits/rate-class.js'
import { quotaHeaders, type Quota, type RateLimiter } from '../limits/rate-limiter.js'
import { inside, type Outside } from '../outside.js'
import {
  claimsOf,
  presentedKey,
  requireKind,
  requireOwnTenant,
  requireTrust,
  type Authenticator,
  type Bearer,
  type TenantClaim,
} from './auth.js'
import { withinDeadline } from './deadline.js'
import { answerOfError, type Answer } from './errors.js'
import { beginExchange, report, splitTarget, type Exchange } from './exchange.js'
import { countedCaller, partyOf } from './limited-caller.js'
import { CallerGoneError, receiveBody, refuseBody, type ReceivedBody } from './request-body.js'
import { sendAnswer } from './send-answer.js'

/** An operation as the door calls it; `OperationTable` says what the contract's own are. */
export type AnyOperation = (
  context: ApiContext,
  caller: Principal | null,
  input: CheckedParameters & {
    readonly body: unknown
    readonly itemFaults: CheckedBody['itemFaults']
    readonly signal: AbortSignal
    readonly requestId: string
    readonly outside: Outside
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
  readonly admission: Admission | null
  /** Shares the bytes of their bodies. */
  readonly bodyRoom: FairAdmission | null
  /** One request keeps what it began with. */
  readonly currentContext: () => ApiContext
  /** Called after an operation that changed keys or agents. */
  readonly onIdentitiesChanged: () => void
}

/** What a request asks for, by its first line. */
interface Asked {
  readonly route: Route
  readonly rawParams: Readonly<Record<string, string>>
  readonly query: string
}

/** A request's credential and whose it was when it came. Who it acts for is looked at again before its operation. */
interface Presented {
  readonly route: Route
  /** The key's text; null on public routes. */
  readonly key: string | null
  readonly bearer: Bearer | null
  readonly parameters: CheckedParameters
  readonly actingAgent: string | undefined
  readonly quota: Quota | null
}

/** nginx' number for a caller that hung up: in the log and the metrics only. */
const CALLER_GONE = 499

const NO_BODY: CheckedBody = { value: undefined, itemFaults: [] }

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
    const exchange = beginExchange(request, response, address)
    let status: number
    let failure: unknown
    try {
      const answer = await this.#answer(exchange)
      this.#send(exchange, answer)
      status = answer.status
    } catch (error) {
      failure = error
      status = this.#sendError(exchange, error)
    }
    const seconds = (performance.now() - started) / 1_000
    report(this.options.currentContext(), exchange, { status, failure, seconds, slowMs: this.options.limits.slowMs })
  }

  /** Every answer from now on closes its connection. */
  close(): void {
    this.#closing = true
  }

  /** Settles when no operation is running, those included that nobody waits for any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    const { request, response, address } = exchange
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      throw new CairnError(400, 'A request of HTTP/1.1 names its Host.')
    const [path, query] = splitTarget(request.url ?? '/')
    const match = this.options.contract.match(request.method ?? 'GET', path)
    if (match.kind === 'route') exchange.operationId = match.route.operationId
    const isExempt = match.kind === 'route' && match.route.rateLimiting === 'exempt'
    if (!isExempt) await this.options.rateLimiter?.admitAddress(address)
    if (match.kind === 'none') throw new NotFoundError('Route')
    if (match.kind === 'method') {
      throw new CairnError(405, `This path takes ${match.allow}.`, { headers: { Allow: match.allow } })
    }
    const { route, rawParams } = match
    exchange.isPublic = route.security === 'public'
    return withinDeadline(response, route.deadlineMs, (signal) => {
      const work = this.#perform(exchange, { route, rawParams, query }, signal)
      this.#running.add(work)
      const settle = () => void this.#running.delete(work)
      work.then(settle, settle)
      return work
    })
  }

  async #perform(exchange: Exchange, asked: Asked, signal: AbortSignal): Promise<Answer> {
    const presented = await this.#identify(exchange, asked)
    const { route, bearer, quota } = presented
    const { rateLimiting } = route
    const turn = {
      party: partyOf(bearer),
      isBulk: rateLimiting === 'bulk',
      goesOutside: rateLimiting === 'recalls',
      signal,
    }
    const received = await this.#receive(exchange, route, turn)
    try {
      signal.throwIfAborted()
      const answer = await this.#work(exchange, presented, received, turn)
      this.#giveBackReplay(exchange, quota, answer.headers)
      return answer
    } finally {
      received?.room?.leave()
    }
  }

  /** Costs nothing to callers without a key that is accepted: it is looked at before the parameters, and the body comes last. */
  async #identify(exchange: Exchange, { route, rawParams, query }: Asked): Promise<Presented> {
    const { contract, authenticator, currentContext } = this.options
    const { headers } = exchange.request
    const key = route.security === 'public' ? null : presentedKey(exchange.request)
    const bearer = key === null ? null : await authenticator.authenticate(key)
    const quota = await this.#takeQuota(exchange.response, route, bearer)
    if (bearer) requireKind(route, bearer)
    const parameters = contract.checkParameters(route, { params: rawParams, query, headers })
    const actingAgent = parameters.headers['X-Agent-ID'] as string | undefined
    if (bearer?.kind === 'key') {
      const known = await authenticator.principalOf(bearer.credential, actingAgent)
      exchange.tenantId = known.tenantId
      currentContext().sightings.saw(known)
      requireAllowed(route, known, claimsOf('query', parameters.query))
    }
    return { route, key, bearer, parameters, actingAgent, quota }
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
  #giveBackReplay({ response }: Exchange, quota: Quota | null, headers: object): void {
    const { rateLimiter } = this.options
    if (!rateLimiter || !quota || !('Idempotent-Replayed' in headers) || response.headersSent) return
    setHeaders(response, quotaHeaders(rateLimiter.giveBack(quota)))
  }

  /** Null where the route takes none. */
  async #receive({ request, response }: Exchange, route: Route, turn: Turn): Promise<ReceivedBody | null> {
    const { limits, bodyRoom } = this.options
    const { bodyTimeoutMs: timeoutMs } = limits
    if (!route.takesBody) {
      await refuseBody(request, response, timeoutMs)
      return null
    }
    const takeRoom = async (bytes: number) => (await bodyRoom?.enter({ ...turn, isBulk: false }, bytes)) ?? null
    return receiveBody(request, response, { bytes: route.bodyLimitBytes, timeoutMs, takeRoom })
  }

  /**
   * What is done in the request's place. Its body is parsed there too: that takes the one thread, and memory many times its bytes.
   * Room for a body is always taken before a place, and a place never held while room is waited for, so no two wait for each other.
   */
  async #work(exchange: Exchange, presented: Presented, received: ReceivedBody | null, turn: Turn): Promise<Answer> {
    const { contract, admission, operations, currentContext, onIdentitiesChanged } = this.options
    const { route, parameters } = presented
    const place = route.security === 'apiKey' ? await admission?.places.enter(turn) : null
    const outside = place && admission ? admission.outside(place, turn) : inside
    try {
      const { value: body, itemFaults } = received
        ? await contract.readBody(route, received.bytes, turn.signal)
        : NO_BODY
      const caller = await this.#lookAgain(presented, body)
      exchange.tenantId = caller?.tenantId ?? null
      const { requestId } = exchange
      const input = { ...parameters, body, itemFaults, signal: turn.signal, requestId, outside }
      const answer = await operations[route.operationId]!(currentContext(), caller, input)
      if (route.changesIdentities) onIdentitiesChanged()
      return { status: answer.status, headers: answer.headers ?? {}, body: answer.body }
    } finally {
      place?.leave()
    }
  }

  /**
   * Returns who the operation is done for, as of now: a request may have been sending its body, and waiting for its turn, for a long
   * time since its key was looked at first. What is remembered is at most a second old, so this rarely asks the database. Throws 401 when
   * the key is no longer accepted, 403 when what it acts for may no longer do this.
   */
  async #lookAgain(presented: Presented, body: unknown): Promise<Principal | null> {
    const { route, key, parameters, actingAgent } = presented
    if (key === null) return null
    const { authenticator } = this.options
    const bearer = await authenticator.authenticate(key)
    requireKind(route, bearer)
    if (route.security !== 'apiKey') return null
    const claims = [...claimsOf('query', parameters.query), ...claimsOf('body', body)]
    if (bearer.kind === 'key') {
      const principal = await authenticator.principalOf(bearer.credential, actingAgent)
      requireAllowed(route, principal, claims)
      return principal
    }
    const missingAt = [route.takesBody ? 'body' : 'query', 'tenant_id']
    return authenticator.adminPrincipal(claims, missingAt, actingAgent)
  }

  #send({ request, response, isPublic }: Exchange, answer: Answer): void {
    if (!isPublic) response.setHeader('Cache-Control', 'no-store')
    sendAnswer(request, response, answer, { lingerMs: this.options.limits.lingerMs, last: this.#closing })
  }

  #sendError(exchange: Exchange, error: unknown): number {
    const { response, requestId } = exchange
    if (error instanceof CallerGoneError || response.destroyed) return CALLER_GONE
    const answer = answerOfError(error, requestId)
    if (response.headersSent) response.destroy()
    else this.#send(exchange, answer)
    return answer.status
  }
}

/** Throws 403 when a request names another tenant than its credential's, or needs more trust. */
function requireAllowed(route: Route, principal: Principal, claims: readonly TenantClaim[]): void {
  requireOwnTenant(principal, claims)
  requireTrust(route, principal)
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}
