import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../domain/principal.js'
import { callsWithPermit, type ExternalCalls } from '../runtime/external-calls.js'
import type { Credential } from '../store/tenants/credentials.js'
import type { AuthenticatedCredential } from './auth.js'
import type { Answer } from './errors.js'
import type { AdmissionRequest, Permit } from './limits/fair-admission.js'
import type { Quota } from './limits/rate-limiter.js'
import type { ReceivedBody } from './request-body.js'
import type { CheckedBody } from './validation/body-reader.js'
import type { CheckedParameters } from './validation/contract.js'
import type { Route } from './validation/routes.js'

export const NO_BODY: CheckedBody = { value: undefined, itemFaults: [] }

/**
 * A call of one operation, over REST or by a tool, with what the steps have learnt of it so far. A member without a value of its own here is
 * set by the step that its comment names, and read by those after it (`app.ts` has their order).
 */
export abstract class OperationCall {
  readonly startedAt = performance.now()
  abstract readonly requestId: string
  /** HTTP method, or the name of another transport: for the log. */
  abstract readonly method: string
  /** Header values by lower-case name. */
  abstract readonly headers: IncomingHttpHeaders
  /** The caller's network address, as far as proxies are trusted. */
  abstract readonly address: string | undefined
  operationId = 'unknown'
  /** True for what browsers ask for by themselves: it is logged only when it is refused or late. Set by `takeFile`. */
  isQuiet = false

  /** Set by `requireRoute`. */
  route!: Route
  rawParams!: Readonly<Record<string, string>>
  /** Percent-encoded query without its question mark. Set by `findRoute`. */
  query!: string
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
  /** Null where none is needed. Set by `acquirePermit`, and by `answerMessage`. */
  permit: Permit | null = null
  /** Set by `acquirePermit`. */
  externalCalls: ExternalCalls = callsWithPermit
  /** Set by `parseBody`. */
  body: CheckedBody = NO_BODY
  /** Whom the operation runs for; null on public and admin routes. Set by `authorise`, for the admin credential by `reauthenticate`. */
  caller: Principal | null = null
  /** Set by `runOperation`. */
  answer!: Answer

  /** True once an answer was sent, or nobody is left to receive one. */
  isAnswered = false
  readonly #cleanups: (() => void)[] = []

  /** Adds headers to the answer, whichever it will be. */
  abstract setHeaders(headers: Readonly<Record<string, string>>): void

  /** Path template of the contract, or the path of an endpoint or a site; null where none was found. */
  abstract get routePath(): string | null

  get tenantId(): string | null {
    return (this.caller ?? this.#credential)?.tenantId ?? null
  }

  /** The agent that the credential is bound to, or acts for. */
  get agentId(): string | null {
    return (this.caller ?? this.#credential)?.agentId ?? null
  }

  /** Names the credential without its secret; null for none that was accepted. */
  get keyId(): string | null {
    return this.authenticated?.kind === 'admin' ? 'admin' : (this.#credential?.keyId ?? null)
  }

  get #credential(): Credential | null {
    return this.authenticated?.kind === 'key' ? this.authenticated.credential : null
  }

  get actingAgent(): string | undefined {
    return this.parameters.headers['X-Agent-ID'] as string | undefined
  }

  /** Describes the call to the limiters that it waits in. */
  get admissionRequest(): AdmissionRequest {
    const { rateLimiting } = this.route
    return {
      tenant: tenantKeyOf(this.authenticated),
      isBulk: rateLimiting === 'bulk',
      callsOtherServices: rateLimiting === 'recalls',
      limitsOthers: this.authenticated !== null,
      signal: this.signal,
    }
  }

  /** Has `release` call `cleanup`. */
  onRelease(cleanup: () => void): void {
    this.#cleanups.push(cleanup)
  }

  /** Gives back what the call holds, the newest first: its permit, its memory, its timer. Further calls do nothing. */
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

/** Returns the name under which a request shares permits. The admin credential has its own, whichever tenant it acts for. */
export function tenantKeyOf(authenticated: AuthenticatedCredential | null): string {
  if (authenticated === null) return 'nobody'
  return authenticated.kind === 'admin' ? 'admin' : `tenant:${authenticated.credential.tenantId}`
}
