/** The base of every error of the client. An abort by a caller's own signal is not one: it rejects with the signal's reason. */
export class CairnError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** Thrown when nothing answers or the connection breaks. `cause` is the error of `fetch`. */
export class ConnectionError extends CairnError {
  constructor(
    message: string,
    /** True when the service has certainly not received the request. */
    readonly isUnsent: boolean,
    options: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Thrown when the service has not answered within `timeoutMs`. */
export class TimeoutError extends CairnError {}

/** Thrown for a redirect: the key is sent to the given address alone. */
export class RedirectError extends CairnError {
  constructor(
    message: string,
    /** Where the service points to; null in browsers, which do not say. */
    readonly location: string | null,
  ) {
    super(message)
  }
}

/**
 * Thrown for an answer that is not cairn's: a success that is empty or no JSON, more than `maxAnswerBytes`, a page
 * without items, or a cursor that repeats.
 */
export class AnswerError extends CairnError {}

/** Thrown for arguments and options that cannot be sent, such as an empty id. */
export class ArgumentError extends CairnError {}

/** One fault of the arguments: `loc` is where, beginning with body, query, path or header. */
export interface FieldFault {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
}

interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Headers
  readonly body: unknown
}

/**
 * Thrown for an answer that is an error. Each code of the service has a class of its own; an error of a proxy, and a code
 * that this version does not know, is of this one.
 */
export class ServiceError extends CairnError {
  readonly status: number
  /** Code of the error's envelope, such as NOT_FOUND; `HTTP_` and the status for an answer without the envelope. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Identifies the request in the log of the service; null when something before the service answered. */
  readonly requestId: string | null
  /** Seconds that the service asks to wait; null when it does not say. */
  readonly retryAfterS: number | null
  readonly headers: Headers
  /** The whole answer; a text when it is not JSON. */
  readonly body: unknown

  constructor({ status, code, message, details, headers, body }: Refused) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.headers = headers
    this.body = body
    this.requestId = headers.get('x-request-id')
    this.retryAfterS = retryAfterOf(headers)
  }
}

export class BadRequestError extends ServiceError {}
/** The key is missing, unknown, revoked or expired. */
export class UnauthorizedError extends ServiceError {}
/** The tenant's quota of memories is used up. */
export class PaymentRequiredError extends ServiceError {}
/** The key's trust does not suffice. */
export class ForbiddenError extends ServiceError {}
export class NotFoundError extends ServiceError {}
export class MethodNotAllowedError extends ServiceError {}
export class RequestTimeoutError extends ServiceError {}
/** The row exists already, has another version, or is in another state; `details` says which. */
export class ConflictError extends ServiceError {}
export class GoneError extends ServiceError {}
export class PayloadTooLargeError extends ServiceError {}
export class UnsupportedMediaTypeError extends ServiceError {}
export class InvalidArgumentsError extends ServiceError {
  /** The faults, field by field. */
  get errors(): readonly FieldFault[] {
    return Array.isArray(this.details.errors) ? (this.details.errors as FieldFault[]) : []
  }
}
export class RateLimitedError extends ServiceError {}
export class InternalError extends ServiceError {}
export class NotImplementedError extends ServiceError {}
export class UpstreamError extends ServiceError {}
export class UnavailableError extends ServiceError {}
export class UpstreamTimeoutError extends ServiceError {}

/** The class of each code. */
export const ERROR_CLASSES: ReadonlyMap<string, typeof ServiceError> = new Map([
  ['BAD_REQUEST', BadRequestError],
  ['UNAUTHORIZED', UnauthorizedError],
  ['PAYMENT_REQUIRED', PaymentRequiredError],
  ['FORBIDDEN', ForbiddenError],
  ['NOT_FOUND', NotFoundError],
  ['METHOD_NOT_ALLOWED', MethodNotAllowedError],
  ['REQUEST_TIMEOUT', RequestTimeoutError],
  ['CONFLICT', ConflictError],
  ['GONE', GoneError],
  ['PAYLOAD_TOO_LARGE', PayloadTooLargeError],
  ['UNSUPPORTED_MEDIA_TYPE', UnsupportedMediaTypeError],
  ['INVALID_ARGUMENTS', InvalidArgumentsError],
  ['RATE_LIMITED', RateLimitedError],
  ['INTERNAL_ERROR', InternalError],
  ['NOT_IMPLEMENTED', NotImplementedError],
  ['UPSTREAM_ERROR', UpstreamError],
  ['UNAVAILABLE', UnavailableError],
  ['UPSTREAM_TIMEOUT', UpstreamTimeoutError],
])

/** Returns the error of an answer whose status is 400 or higher. */
export function serviceError({ status, statusText, headers }: Response, body: unknown): ServiceError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  const code = typeof error.code === 'string' ? error.code : `HTTP_${status}`
  const message = typeof error.message === 'string' ? error.message : statusText || `HTTP ${status}`
  const details = isRecord(error.details) ? error.details : {}
  return new (ERROR_CLASSES.get(code) ?? ServiceError)({ status, code, message, details, headers, body })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns the seconds of `Retry-After`, which is a number of them or a date. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000)
}
