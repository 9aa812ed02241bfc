import {
  BacklogError,
  CairnError,
  ConflictError,
  type ErrorOptions,
  ForbiddenError,
  IdempotencyMismatchError,
  InvalidArgumentsError,
  NotFoundError,
  QuotaError,
  summaryOf,
  TimeoutError,
  TrustError,
  UnavailableError,
} from '../runtime/errors.js'

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

/** Returns the code of a status, also of one that no error has. */
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

interface HttpErrorOptions extends ErrorOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** An error with its status, for what only the transport refuses. Thrown in `http/` and by operations in `api/`. */
export class HttpError extends CairnError {
  readonly headers: Readonly<Record<string, string>>
  constructor(
    readonly status: ErrorStatus,
    message: string,
    { headers = {}, ...options }: HttpErrorOptions = {},
  ) {
    super(message, options)
    this.headers = headers
  }
}

/** A request that violates the contract, or whose query, path or headers break a rule of the operation. */
export class InvalidRequestError extends HttpError {
  constructor(readonly errors: readonly FieldError[]) {
    super(422, summaryOf(errors.map(({ loc, msg }) => ({ path: loc, msg }))), { details: { errors } })
  }
  static at(loc: readonly string[], msg: string, type = 'value_error'): InvalidRequestError {
    return new InvalidRequestError([{ loc, msg, type }])
  }
}

type ErrorClass = abstract new (...args: never[]) => CairnError

/** Maps the classes of `runtime/errors.ts` to their statuses. */
const STATUSES: readonly (readonly [ErrorClass, ErrorStatus])[] = [
  [QuotaError, 402],
  [TrustError, 403],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [ConflictError, 409],
  [BacklogError, 429],
  [UnavailableError, 503],
  [TimeoutError, 504],
]

/** Returns what HTTP makes of an error; null for a class that it does not know. */
function httpErrorOf(error: CairnError): HttpError | null {
  if (error instanceof HttpError) return error
  if (error instanceof InvalidArgumentsError)
    return new InvalidRequestError(error.faults.map(({ path, ...fault }) => ({ loc: ['body', ...path], ...fault })))
  if (error instanceof IdempotencyMismatchError)
    return InvalidRequestError.at(['header', 'Idempotency-Key'], error.message, 'idempotency_mismatch')
  const [, status] = STATUSES.find(([type]) => error instanceof type) ?? []
  const { message, details, retryAfterS } = error
  return status === undefined ? null : new HttpError(status, message, { details, retryAfterS })
}

/** A response to send; an undefined body means none. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** The reason phrase of the status line, in printable ASCII; by default that of the status. */
  readonly reason?: string
}

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> }
  /** Deprecated copy of the message; for a 422, the list of field errors. */
  readonly detail: string | readonly FieldError[]
}

export function envelope(status: number, message: string, details?: Record<string, unknown>): Envelope {
  return { error: { code: codeOf(status), message, ...(details && { details }) }, detail: message }
}

/** Turns an error into a response; nothing else does. An error that is no known `CairnError` tells the caller only the request id. */
export function answerOfError(error: unknown, requestId: string): Answer {
  const known = error instanceof CairnError ? httpErrorOf(error) : null
  if (known === null) {
    const message = `An internal error occurred; quote request ${requestId} when you report it.`
    return { status: 500, headers: {}, body: envelope(500, message) }
  }
  const { status, message, details, retryAfterS } = known
  const headers = {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="cairn"' }),
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...known.headers,
  }
  const body = envelope(status, message, details)
  return { status, headers, body: known instanceof InvalidRequestError ? { ...body, detail: known.errors } : body }
}

/** Returns the error of one item of a bulk operation, as the operation's response lists it. */
export function itemErrorOf(error: CairnError): Envelope['error'] {
  const known = httpErrorOf(error)
  if (known === null) throw error
  return envelope(known.status, known.message, known.details).error
}

/** Error classes whose messages are the program's own and safe to log; those of a driver or a parser may quote a caller's text. */
const OWN_ERROR_CLASSES: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError]
const LOGGED_FIELDS = ['code', 'constraint', 'table', 'routine', 'syscall', 'statusCode'] as const

/** Returns the log fields of a failure: where it happened and its kind, without any text that a caller may have written. */
export function failureForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const fields = error as Error & Record<string, unknown>
  const isOwnMessage = error instanceof CairnError || OWN_ERROR_CLASSES.includes(error.constructor)
  const known = error instanceof CairnError ? httpErrorOf(error) : null
  const stack = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(isOwnMessage && { message: error.message }),
    ...(known && { code: codeOf(known.status) }),
    ...Object.fromEntries(
      LOGGED_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
    ),
    stack: stack.map((line) => line.trim()).join('\n'),
    ...(error.cause !== undefined && { cause: failureForLog(error.cause) }),
  }
}
