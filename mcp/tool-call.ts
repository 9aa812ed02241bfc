import type { Answer } from '../http/errors.js'
import { envelope } from '../http/errors.js'
import type { CallOperation, OperationRequest } from '../http/operation-caller.js'
import type { Field, ToolFields } from './tool-fields.js'
import { TOOLS, type ToolOperation } from './tools.js'

type Arguments = Readonly<Record<string, unknown>>

/**
 * An answer of a tool: the JSON object that REST answers with, which is an error's envelope when `isError`, and beside it `_status`, REST's
 * status, integer `_latency_ms`, and where REST has these headers `_etag` and `_retry_after_s`. A bare list is in `items`.
 */
export interface ToolAnswer {
  readonly isError: boolean
  readonly content: Readonly<Record<string, unknown>>
}

/** Holds what the call of a tool needs. */
export interface ToolContext {
  readonly fields: ToolFields
  /** The tenant of the key; null for the admin credential, whose calls name theirs. */
  readonly tenantId: string | null
  readonly callOperation: CallOperation
}

/** Calls the operation of a tool that `op` names. Never throws for what a caller may get wrong. */
export async function callTool(
  name: string,
  { op, ...given }: Arguments,
  { fields, tenantId, callOperation }: ToolContext,
): Promise<ToolAnswer> {
  const startedAt = performance.now()
  const answer = await answerOf()
  const { status, body } = answer
  const headers = new Headers(answer.headers)
  const [tag, retryAfter] = [headers.get('ETag'), headers.get('Retry-After')]
  return {
    isError: status >= 400,
    content: {
      ...contentOf(body),
      ...(tag !== null && { _etag: tag }),
      ...(retryAfter !== null && { _retry_after_s: Number(retryAfter) }),
      _status: status,
      _latency_ms: Math.round(performance.now() - startedAt),
    },
  }

  async function answerOf(): Promise<Answer> {
    const tool = TOOLS.find((one) => one.name === name)
    if (!tool) return refusal(`There is no tool ${shown(name)}.`, [], { expected_tools: TOOLS.map((one) => one.name) })
    const operation = typeof op === 'string' && Object.hasOwn(tool.ops, op) ? tool.ops[op]! : null
    if (!operation) {
      const expected = Object.keys(tool.ops)
      const message = `op must be one of ${expected.join(', ')}.`
      const fault = { name: 'op', msg: message, type: op === undefined ? 'missing' : 'enum' }
      return refusal(message, [fault], { op: shown(op), expected_ops: expected })
    }
    const known = fields.of(operation)
    const unknown = Object.keys(given).filter((argument) => !known.some((field) => field.name === argument))
    if (unknown.length > 0) return refusedArguments(op as string, unknown, known)
    const unreadable = Object.keys(given).find((argument) => isUnreadable(given[argument]))
    if (unreadable !== undefined) return refusedText(unreadable)
    return callOperation(requestOf(operation, withTenant(given, known, tenantId), fields))
  }
}

/** Most characters of a value that a refusal repeats. */
const SHOWN_LENGTH = 100

function shown(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, SHOWN_LENGTH) : value === undefined ? null : typeof value
}

interface ArgumentFault {
  readonly name: string
  readonly msg: string
  readonly type: string
}

/** Returns the answer to a call that could not be sent, or was answered by something else than the service. */
export function failureAnswer(status: number, message: string): Answer {
  return { status, headers: {}, body: envelope(status, message) }
}

/** Returns a refusal as the transport makes one of fields, at `arguments`, with more details. */
function refusal(message: string, faults: readonly ArgumentFault[], details: Record<string, unknown>): Answer {
  const errors = faults.map(({ name, msg, type }) => ({ loc: ['arguments', name], msg, type }))
  return { status: 422, headers: {}, body: { ...envelope(422, message, { ...details, errors }), detail: errors } }
}

/** Most unknown arguments that a refusal names. */
const MOST_NAMED = 20

function refusedArguments(op: string, unknown: readonly string[], known: readonly Field[]): Answer {
  const faults = unknown.slice(0, MOST_NAMED).map((name) => ({
    name: name.slice(0, SHOWN_LENGTH),
    msg: `${op} has no such argument.`,
    type: 'extra_forbidden',
  }))
  const names = known.map(({ name }) => name)
  const message = `${op} takes ${names.join(', ') || 'no arguments'}.`
  return refusal(message, faults, { op, expected_arguments: names })
}

/** Half of a surrogate pair cannot be in a path or a query. The service refuses one deeper in the body. */
function isUnreadable(value: unknown): boolean {
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
}

function refusedText(name: string): Answer {
  const msg = `${name} has half of a surrogate pair, which is no character.`
  return refusal(msg, [{ name, msg, type: 'string_unicode' }], {})
}

/** Adds the tenant of the key where the operation has a place for it and the caller named none. */
function withTenant(given: Arguments, known: readonly Field[], tenantId: string | null): Arguments {
  const takesTenant = tenantId !== null && known.some(({ name }) => name === 'tenant_id')
  return takesTenant ? { tenant_id: tenantId, ...given } : given
}

/** Puts each argument where REST has it. Leaves a null outside of the body out: models send null for an absent argument. */
function requestOf(operation: ToolOperation, given: Arguments, fields: ToolFields): OperationRequest {
  const params: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  const put = (field: Field, value: unknown) => {
    if (field.in === 'body') body[field.restName] = value
    else if (value === null) return
    else if (field.in === 'path') params[field.restName] = encodeURIComponent(textOf(value))
    else if (field.in === 'query') query.set(field.restName, textOf(value))
    else headers[field.restName.toLowerCase()] = textOf(value)
  }
  for (const field of fields.of(operation)) if (Object.hasOwn(given, field.name)) put(field, given[field.name])
  for (const { value, ...field } of fields.fixedOf(operation)) put(field, value)
  const takesBody = fields.takesBody(operation)
  return {
    operationId: operation.operationId,
    params,
    query: query.toString(),
    headers,
    body: takesBody ? body : undefined,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function contentOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {}
  return Array.isArray(body) ? { items: body } : (body as Record<string, unknown>)
}
