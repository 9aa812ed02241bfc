import { CairnError, codeOf, InvalidArgumentsError, type FieldError } from '../runtime/errors.js'

/** A response to send; an undefined body means none. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> }
  /** Deprecated copy of the message; for a 422, the list of field errors. */
  readonly detail: string | readonly FieldError[]
}

export function envelope(status: number, message: string, details?: Record<string, unknown>): Envelope {
  return { error: { code: codeOf(status), message, ...(details && { details }) }, detail: message }
}

/** Turns an error into a response; nothing else does. An error that is no `CairnError` tells the caller only the request id. */
export function answerOfError(error: unknown, requestId: string): Answer {
  if (!(error instanceof CairnError)) {
    const message = `An internal error occurred; quote request ${requestId} when you report it.`
    return { status: 500, headers: {}, body: envelope(500, message) }
  }
  const { status, message, headers } = error
  if (status !== 422) return { status, headers, body: envelope(status, message, error.details) }
  const errors =
    error instanceof InvalidArgumentsError ? error.errors : [{ loc: ['body'], msg: message, type: 'value_error' }]
  return { status, headers, body: { ...envelope(status, message, { ...error.details, errors }), detail: errors } }
}

/** Error classes whose messages are the program's own and safe to log; those of a driver or a parser may quote a caller's text. */
const OWN_ERROR_CLASSES: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError]
const LOGGED_FIELDS = ['code', 'constraint', 'table', 'routine', 'syscall', 'statusCode'] as const

/** Returns the log fields of a failure: where it happened and its kind, without any text that a caller may have written. */
export function failureForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const fields = error as Error & Record<string, unknown>
  const isOwnMessage = error instanceof CairnError || OWN_ERROR_CLASSES.includes(error.constructor)
  const stack = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(isOwnMessage && { message: error.message }),
    ...Object.fromEntries(
      LOGGED_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
    ),
    stack: stack.map((line) => line.trim()).join('\n'),
    ...(error.cause !== undefined && { cause: failureForLog(error.cause) }),
  }
}
