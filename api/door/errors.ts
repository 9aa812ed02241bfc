import { CairnError, codeOf, InvalidArgumentsError, type FieldError } from '../../runtime/errors.js'

/** What goes out: a body of undefined is none. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> }
  /** Deprecated mirror of the message; the list of a 422. */
  readonly detail: string | readonly FieldError[]
}

export function envelope(status: number, message: string, details?: Record<string, unknown>): Envelope {
  return { error: { code: codeOf(status), message, ...(details && { details }) }, detail: message }
}

/** The one place that turns an error into an answer. What is no `CairnError` tells its caller nothing but the request's id. */
export function answerOfError(error: unknown, requestId: string): Answer {
  if (!(error instanceof CairnError)) {
    const message = `Something went wrong on our side; ask about request ${requestId}.`
    return { status: 500, headers: {}, body: envelope(500, message) }
  }
  const { status, message, headers } = error
  if (status !== 422) return { status, headers, body: envelope(status, message, error.details) }
  const errors =
    error instanceof InvalidArgumentsError ? error.errors : [{ loc: ['body'], msg: message, type: 'value_error' }]
  return { status, headers, body: { ...envelope(status, message, { ...error.details, errors }), detail: errors } }
}

/** Of these alone the message is the program's own; a driver's or a parser's may quote what somebody wrote. */
const PLAIN: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError]
const NAMED = ['code', 'constraint', 'table', 'routine', 'syscall', 'statusCode'] as const

/** A failure for the log: where it happened and what kind it is, without any text that callers may have written. */
export function failureForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const fields = error as Error & Record<string, unknown>
  const said = error instanceof CairnError || PLAIN.includes(error.constructor)
  const stack = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(said && { message: error.message }),
    ...Object.fromEntries(NAMED.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]])),
    stack: stack.map((line) => line.trim()).join('\n'),
    ...(error.cause !== undefined && { cause: failureForLog(error.cause) }),
  }
}
