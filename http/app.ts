import express, { type Express } from 'express'
import type { AccessLogged } from '../runtime/logger.js'
import { AccessLog } from './access-log.js'
import type { Authenticator } from './auth.js'
import type { Admission } from './limits/admission.js'
import type { FairAdmission } from './limits/fair-admission.js'
import type { RateLimiter } from './limits/rate-limiter.js'
import { allowOrigins } from './middlewares/allow-origins.js'
import { Answering } from './middlewares/answer.js'
import { answerFile, takeFile } from './middlewares/answer-file.js'
import { answerMessage, type AnsweringOptions } from './middlewares/answer-message.js'
import {
  acquirePermit,
  authorise,
  checkParameters,
  countRequest,
  parseBody,
  reauthenticate,
  requireCredentialKind,
  runOperation,
  serialiseAnswer,
  takeTurn,
  uncountReplay,
  weighRequest,
} from './middlewares/call-steps.js'
import { type CallStep, middlewareOf, type Step } from './middlewares/middleware.js'
import {
  authenticate,
  beginRequest,
  findRoute,
  limitAddress,
  receiveBody,
  requireRoute,
  startDeadline,
  takeRoute,
} from './middlewares/request-steps.js'
import type { MessageEndpoint } from './message-endpoint.js'
import type { Operations, TransportContext } from './operation.js'
import { OperationCaller } from './operation-caller.js'
import type { StaticSite } from './static-site.js'
import type { Contract } from './validation/contract.js'
import { RunningRequests } from './running-requests.js'

export interface AppLimits {
  /** Milliseconds until a body that is still incomplete is refused with 408. */
  readonly bodyTimeoutMs: number
  /** Milliseconds that the rest of an unread body is still received. */
  readonly lingerMs: number
  /** Milliseconds from which a request is logged at level info. */
  readonly slowMs: number
}

interface AppOptions<Context extends TransportContext> {
  readonly contract: Contract
  readonly operations: Operations<Context>
  readonly authenticator: Authenticator
  readonly limits: AppLimits
  readonly accessLog: AccessLogged
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
  /** Paths beside the contract's, whose messages call its operations. */
  readonly endpoints: readonly MessageEndpoint[]
  /** Files beside the contract's paths. The first site describes the API. */
  readonly sites: readonly StaticSite[]
  /** Express' setting "trust proxy"; null for none. */
  readonly trustProxy: number | readonly string[] | null
  /** Origins of pages whose scripts may read answers. */
  readonly corsOrigins: readonly string[]
}

export interface App {
  readonly express: Express
  /** Makes every later response close its connection. */
  close(): void
  /** Resolves when no operation is running, including those whose caller no longer waits. */
  whenIdle(): Promise<void>
  /** Writes the last of the log. */
  end(): void
}

/**
 * Creates the Express application: each step of a request is a middleware, in the order below. Throws when an operation of the contract has
 * no function, so that no route answers 501 by oversight.
 */
export function createApp<Context extends TransportContext>(options: AppOptions<Context>): App {
  const { contract, operations, authenticator, rateLimiter, admission, bodyMemory, currentContext, limits } = options
  requireOperations(contract, operations)
  const running = new RunningRequests()
  const accessLog = new AccessLog({ currentContext, logged: options.accessLog, slowMs: limits.slowMs })
  const answering = new Answering({
    lingerMs: limits.lingerMs,
    currentContext,
    accessLog,
    permits: admission?.permits ?? null,
    isClosing: running.isClosing,
  })

  const app = express()
  // Express answers by itself what it cannot route at all; in its other environments with a stack.
  app.set('env', 'production')
  app.disable('x-powered-by').disable('etag').disable('query parser').enable('case sensitive routing')
  if (options.trustProxy !== null) app.set('trust proxy', options.trustProxy)
  const begin = startDeadline((error, context) => answering.answerError(error, context), running.add)
  const [description] = options.sites
  const hasRoute = requireRoute(contract, description && !description.empty ? description.path : null)
  const use = (path: string, steps: readonly Step[]) =>
    app.use(path, beginRequest, ...steps.map(middlewareOf), answering.handleError)

  // The key is checked before the parameters, and the body comes last: a caller without an accepted key costs next to nothing.
  const admit: CallStep[] = [
    countRequest(rateLimiter),
    requireCredentialKind,
    checkParameters(contract),
    authorise(authenticator, currentContext),
  ]
  const run: CallStep[] = [
    acquirePermit(admission),
    parseBody(contract),
    takeTurn(admission),
    weighRequest,
    reauthenticate(authenticator),
    runOperation(operations, currentContext, options.onIdentitiesChanged),
    uncountReplay(rateLimiter),
  ]
  if (options.corsOrigins.length > 0)
    app.use(['/api', ...options.endpoints.map(({ path }) => path)], allowOrigins(options.corsOrigins))

  const receive = receiveBody(bodyMemory, limits.bodyTimeoutMs)
  const caller = new OperationCaller(contract, [...admit, ...run], { answering, onBegin: running.add })
  const call: AnsweringOptions['call'] = (context, request) => caller.call(context, request)
  for (const endpoint of options.endpoints)
    use(endpoint.path, [
      takeRoute(endpoint),
      limitAddress(rateLimiter),
      ({ headers }) => endpoint.checkHeaders(headers),
      hasRoute,
      begin,
      authenticate(authenticator),
      countRequest(rateLimiter),
      receive,
      answerMessage(endpoint, { admission, authenticator, call }),
      answering.sendAnswer,
    ])
  for (const site of options.sites)
    use(site.path, [
      takeFile(site),
      limitAddress(rateLimiter),
      hasRoute,
      begin,
      acquirePermit(admission),
      answerFile(site),
      answering.sendAnswer,
    ])
  use('/', [
    findRoute(contract),
    limitAddress(rateLimiter),
    hasRoute,
    begin,
    authenticate(authenticator),
    ...admit,
    receive,
    ...run,
    serialiseAnswer,
    answering.sendAnswer,
  ])
  return {
    express: app,
    close: running.close,
    whenIdle: () => running.whenNone(),
    end: () => accessLog.end(),
  }
}

function requireOperations(contract: Contract, operations: Operations<never>): void {
  const has = (id: string) => Object.hasOwn(operations, id) && typeof operations[id] === 'function'
  const missing = contract.routes.filter(({ operationId }) => !has(operationId))
  if (missing.length > 0)
    throw new Error(`operations without a function: ${missing.map(({ operationId }) => operationId).join(', ')}`)
}
