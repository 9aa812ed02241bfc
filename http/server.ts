import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Yielding } from '../domain/yielding.js'
import { Slices } from '../runtime/slices.js'
import type { Express } from 'express'
import { apiAddress, listen } from '../runtime/listening.js'
import type { AccessLogged } from '../runtime/logger.js'
import { cairnContract, type Contract } from './validation/contract.js'
import { DEFAULT_WAIT_MS, type FairAdmission } from './limits/fair-admission.js'
import type { Admission } from './limits/admission.js'
import type { RateLimiter } from './limits/rate-limiter.js'
import { type App, type AppLimits, createApp } from './app.js'
import { Authenticator } from './auth.js'
import type { MessageEndpoint } from './message-endpoint.js'
import type { Operations, TransportContext } from './operation.js'
import { envelope } from './errors.js'
import type { StaticSite } from './static-site.js'
import { CachedIdentities, storedIdentities, type Identities } from './identities.js'

interface ServerLimits extends AppLimits {
  readonly headersTimeoutMs: number
  /** Milliseconds that `stop` waits for running requests. */
  readonly stopTimeoutMs: number
  readonly keepAliveMs: number
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 15_000,
  lingerMs: 2_000,
  slowMs: 1_000,
  stopTimeoutMs: 10_000,
  // Longer than load balancers keep idle connections, so that this side never closes one under a request.
  keepAliveMs: 65_000,
}

/** PEM texts. */
interface Tls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface ServerOptions<Context extends TransportContext> {
  readonly operations: Operations<Context>
  /** Returns the context for operations that start now. */
  readonly currentContext: () => Context
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly adminKey: string | null
  /** Null or absent for plain HTTP. */
  readonly tls?: Tls | null
  /** Express' setting "trust proxy". */
  readonly trustProxy?: number | readonly string[] | null
  /** Origins of pages whose scripts may read answers; none by default. */
  readonly corsOrigins?: readonly string[]
  readonly limits?: Partial<ServerLimits>
  /** Default: refusals. */
  readonly accessLog?: AccessLogged
  /** Absent or null, these three do not limit anything. */
  readonly rateLimiter?: RateLimiter
  readonly admission?: Admission | null
  readonly bodyMemory?: FairAdmission | null
  /** Paths beside the contract's. */
  readonly endpoints?: readonly MessageEndpoint[]
  /** Files beside the contract's paths. The first site describes the API. */
  readonly sites?: readonly StaticSite[]
  /** Default: the service's own. */
  readonly contract?: Contract
  /** Default: those in the store. */
  readonly identities?: Identities
}

export interface ApiServer {
  readonly app: Express
  /** Throws ConfigError when the port is taken. */
  start(): Promise<{ port: number }>
  /** Accepts no more requests, waits for the running ones, then closes the remaining connections. */
  stop(): Promise<void>
}

/**
 * Creates the HTTP server. Throws when the contract does not say who
 * may call an operation, or an operation has no function.
 */
export function createServer<Context extends TransportContext>(options: ServerOptions<Context>): ApiServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const contract = options.contract ?? cairnContract()
  const { currentContext } = options
  const { store, clock } = currentContext()
  const identities = new CachedIdentities(options.identities ?? storedIdentities(store), clock)
  const app = createApp({
    contract,
    operations: options.operations,
    authenticator: new Authenticator({ identities, clock, adminKey: options.adminKey }),
    limits,
    accessLog: options.accessLog ?? 'refusals',
    rateLimiter: options.rateLimiter ?? null,
    admission: options.admission ?? null,
    bodyMemory: options.bodyMemory ?? null,
    currentContext,
    onIdentitiesChanged: () => identities.clear(),
    endpoints: options.endpoints ?? [],
    sites: options.sites ?? [],
    trustProxy: options.trustProxy ?? null,
    corsOrigins: options.corsOrigins ?? [],
  })
  const server = createListener(app.express, options.tls ?? null, limits)
  return {
    app: app.express,
    async start() {
      await listen(server, apiAddress(options))
      void new Slices({ sliceMs: 0 }).run(prepare(contract, server))
      return { port: (server.address() as AddressInfo).port }
    },
    stop: () => stop(server, app, limits.stopTimeoutMs),
  }
}

function createListener(app: Express, tls: Tls | null, limits: ServerLimits): Server {
  const timing = {
    // Node's own refusal of a request without Host lacks the error envelope; the error middleware's has it.
    requireHostHeader: false,
    headersTimeout: limits.headersTimeoutMs,
    // The application's own limits answer first; this one ends connections that it no longer watches.
    requestTimeout: limits.headersTimeoutMs + DEFAULT_WAIT_MS + limits.bodyTimeoutMs + limits.lingerMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5_000),
    keepAliveTimeout: limits.keepAliveMs,
  }
  const server = tls ? createHttpsServer({ ...timing, ...tls }, app) : createHttpServer(timing, app)
  const handle = app as (request: IncomingMessage, response: ServerResponse) => void
  // "100 Continue" is sent when the body is read, so a refused caller never sends its body.
  server.on('checkContinue', handle)
  server.on('checkExpectation', (_request, response) =>
    refuse(response.socket!, 417, 'This expectation is not supported.'),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseMalformed(error, socket))
  return server
}

function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') refuse(socket, 408, 'The request was not received in time.')
  else if (code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431, 'The headers are too large.')
  else refuse(socket, 400, 'This is not a readable HTTP request.')
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

/** Answers what could not be parsed as a request: writes the error envelope to the socket by hand and closes the connection. */
function refuse(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify(envelope(status, message))
  const head = [
    `HTTP/1.1 ${status} ${REASON_PHRASES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Compiles the contract's operations one by one between requests, so that neither the start nor a first request waits for all. */
function* prepare(contract: Contract, server: Server): Yielding<void> {
  for (const { operationId } of contract.routes) {
    yield
    if (!server.listening) return
    contract.prepare(operationId)
  }
}

async function stop(server: Server, app: App, timeoutMs: number): Promise<void> {
  app.close()
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)))
  // Once the server is closed no further request can begin.
  await Promise.race([closed.then(() => app.whenIdle()), timeUp])
  clearTimeout(timer)
  server.closeAllConnections()
  await closed
  app.end()
}
