import { outageMessage, type Dependency, type OutageReason } from './outage-reasons.js'

/** Maps a status to the code of the contract's error envelope. */
export const ERROR_CODES = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'INVALID_ARGUMENTS',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  501: 'NOT_IMPLEMENTED',
  502: 'UPSTREAM_ERROR',
  503: 'UNAVAILABLE',
  504: 'UPSTREAM_TIMEOUT',
} as const
export type ErrorStatus = keyof typeof ERROR_CODES

export function codeOf(status: number): string {
  return ERROR_CODES[status as ErrorStatus] ?? `HTTP_${status}`
}

/** One entry of a 422's list; `loc` begins with the location of the value: body, query, path or header. */
export interface FieldError {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
  readonly input?: unknown
  readonly ctx?: Record<string, unknown>
}

export interface ErrorOptions {
  readonly details?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly cause?: unknown
}

/** The base of all errors that callers get to see: its message and details are sent as they are. */
export class CairnError extends Error {
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string>
  constructor(
    readonly status: ErrorStatus,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.details = options.details
    this.headers = options.headers ?? {}
  }
  get code(): string {
    return codeOf(this.status)
  }
}

export class InvalidArgumentsError extends CairnError {
  constructor(readonly errors: readonly FieldError[]) {
    super(422, summaryOf(errors), { details: { errors } })
  }
  static at(loc: readonly string[], msg: string, type = 'value_error', input?: unknown): InvalidArgumentsError {
    return new InvalidArgumentsError([{ loc, msg, type, ...(input === undefined ? {} : { input }) }])
  }
}

/** Largest number of errors that a message names; `details.errors` has all of them. */
const MAX_NAMED_ERRORS = 5

function summaryOf(errors: readonly FieldError[]): string {
  const named = errors.slice(0, MAX_NAMED_ERRORS).map((error) => `${error.loc.join('.')}: ${error.msg}`)
  const others = errors.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
}

export class TrustError extends CairnError {
  constructor(required: number, caller: number, message = `This needs trust level ${required}; yours is ${caller}.`) {
    super(403, message, { details: { required_trust_level: required, caller_trust_level: caller } })
  }
}

export class ForbiddenError extends CairnError {
  constructor(message: string, details?: Record<string, unknown>) {
    super(403, message, { details })
  }
}

export class NotFoundError extends CairnError {
  constructor(what: string) {
    super(404, `${what} not found.`)
  }
}

export class ConflictError extends CairnError {
  constructor(message: string, details?: Record<string, unknown>, headers?: Record<string, string>) {
    super(409, message, { details, headers })
  }
}

/**
 * A dependency of this process is unavailable, late or takes no writes: an outage, never the caller's or an item's
 * fault.
 */
export class UnavailableError extends CairnError {
  constructor(
    readonly dependency: Dependency,
    cause?: unknown,
    readonly reason: OutageReason = 'unreachable',
  ) {
    super(503, outageMessage(dependency, reason), { headers: { 'Retry-After': '1' }, cause })
  }
}

/** A setting that prevents the start; the message names the variable and what to do. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    advice: string,
    cause?: unknown,
  ) {
    super(`${variable}: ${advice}`, { cause })
    this.name = 'ConfigError'
  }
}
