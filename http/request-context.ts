import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../domain/principal.js'
import { callsWithPermit, type ExternalCalls } from '../runtime/external-calls.js'
import type { AuthenticatedCredential } from './auth.js'
import { type Answer, HttpError } from './errors.js'
import type { AdmissionRequest } from './limits/fair-admission.js'
import type { Quota } from './limits/rate-limiter.js'
import { tenantKeyOf } from './rate-limited-caller.js'
import type { ReceivedBody } from './request-body.js'
import type { CheckedBody } from './validation/body-reader.js'
import type { CheckedParameters } from './validation/contract.js'
import type { Match, Route } from './validation/routes.js'

export const NO_BODY: CheckedBody = { value: undefined, itemFaults: [] }

/**
 * A request and its response, with what the middlewares have learnt of it so far. A member without a value of its own here is set by the
 * middleware that its comment names, and read by those after it (`app.ts` has their order).
 */
export class RequestContext {
  readonly startedAt = performance.now()
  readonly requestId: string
  operationId = 'unknown'
  isPublic = true
  tenantId: string | null = null

  /** Set by `findRoute`. */
  match!: Match
  /** Percent-encoded query without its question mark. Set by `findRoute`. */
  query!: string
  /** Set by `requireRoute`. */
  route!: Route
  rawParams!: Readonly<Record<string, string>>
  /** Aborted at the deadline and when the caller disconnects. Set by `startDeadline`. */
  signal!: AbortSignal
  /** The key as sent; null on public routes. Set by `authenticate`. */
  key: string | null = null
  authenticated: AuthenticatedCredential | null = null
  /** Null on routes that are not counted. Set by `countRequest`. */
  quota: Quota | null = null
  /** Set by `checkParameters`. */
  parameters!: CheckedParameters
  /** Null on routes that take no body. Set by `receiveBody`. */
  received: ReceivedBody | null = null
  /** Set by `acquirePermit`. */
  externalCalls: ExternalCalls = callsWithPermit
  /** Set by `parseBody`. */
  body: CheckedBody = NO_BODY
  /** Whom the operation runs for; null on public and admin routes. Set by `reauthenticate`. */
  caller: Principal | null = null
  /** Set by `runOperation`. */
  answer!: Answer

  /** True once a response was sent, or nobody is left to receive one. */
  isAnswered = false
  readonly #cleanups: (() => void)[] = []

  /** `address` is the caller's network address, as far as proxies are trusted. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly address: string | undefined,
  ) {
    this.requestId = requestIdOf(request)
  }

  get actingAgent(): string | undefined {
    return this.parameters.headers['X-Agent-ID'] as string | undefined
  }

  /** Describes the request to the limiters that it waits in. */
  get admissionRequest(): AdmissionRequest {
    const { rateLimiting } = this.route
    return {
      tenant: tenantKeyOf(this.authenticated),
      isBulk: rateLimiting === 'bulk',
      callsOtherServices: rateLimiting === 'recalls',
      signal: this.signal,
    }
  }

  /** Has `release` call `cleanup`. */
  onRelease(cleanup: () => void): void {
    this.#cleanups.push(cleanup)
  }

  /** Gives back what the request holds, the newest first: its permit, its memory, its timer. Further calls do nothing. */
  release(): void {
    const cleanup = this.#cleanups.pop()
    if (cleanup === undefined) return
    try {
      cleanup()
    } finally {
      this.release()
    }
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/**
 * Splits a request target into its raw path and its raw query. Accepts the absolute form that proxies send. Throws HttpError 400
 * for characters that must be percent-encoded.
 */
export function splitTarget(url: string): [path: string, query: string] {
  if (!/^[\x21-\x7e]*$/.test(url)) throw new HttpError(400, 'The path and the query must be percent-encoded.')
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}
