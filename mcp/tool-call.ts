import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Answer } from '../http/errors.js'
import type { CallOperation } from '../http/message-endpoint.js'
import { didYouMean } from './did-you-mean.js'
import { fitAnswer } from './fit-answer.js'
import { leanContentOf } from './lean-answer.js'
import { type Arguments, type CalledOperation, readArguments } from './tool-arguments.js'
import type { Field, ToolFields } from './tool-fields.js'
import { answerOfRefusal, itemErrorOf, RefusedArguments, toldOnce } from './tool-refusal.js'
import { requestOf } from './tool-request.js'
import { type Tool, TOOLS } from './tools.js'

type Content = Readonly<Record<string, unknown>>

/**
 * An answer of a tool: what a model reads of REST's answer, or an error's envelope when `isError`, and beside it `_status`, REST's
 * status, integer `_latency_ms`, where REST has these headers `_etag` and `_retry_after_s`, and `_notes` on what was cut. A bare list is in
 * `items`.
 */
export interface ToolAnswer {
  readonly isError: boolean
  readonly content: Content
}

/** Holds what the call of a tool needs. */
export interface ToolContext {
  readonly fields: ToolFields
  /** The tenant of the key; null for the admin credential, whose calls name theirs. */
  readonly tenantId: string | null
  readonly callOperation: CallOperation
}

/** Calls the operation of a tool that `op` names. Throws ProtocolError for an unknown tool, and never for what else a caller may get wrong. */
export async function callTool(name: string, { op, ...given }: Arguments, context: ToolContext): Promise<ToolAnswer> {
  const startedAt = performance.now()
  const tool = toolOf(name)
  const { status, headers, content } = await contentOfCall(tool, op, given, context)
  const sent = new Headers(headers)
  const [tag, retryAfter] = [sent.get('ETag'), sent.get('Retry-After')]
  return {
    isError: status >= 400,
    content: {
      ...content,
      ...(tag !== null && { _etag: tag }),
      ...(retryAfter !== null && { _retry_after_s: Number(retryAfter) }),
      _status: status,
      _latency_ms: Math.round(performance.now() - startedAt),
    },
  }
}

/** Most characters of a name that a refusal repeats. */
const SHOWN_LENGTH = 100

function toolOf(name: string): Tool {
  const tool = TOOLS.find((one) => one.name === name)
  if (tool) return tool
  const guess = didYouMean(
    name,
    TOOLS.map((one) => one.name),
  )
  const hint = guess === null ? 'tools/list names those that there are.' : `did you mean ${guess}?`
  const message = `There is no tool ${name.slice(0, SHOWN_LENGTH)}; ${hint}`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

interface ToolContent {
  readonly status: number
  readonly headers: Answer['headers']
  readonly content: Content
}

async function contentOfCall(tool: Tool, op: unknown, given: Arguments, context: ToolContext): Promise<ToolContent> {
  try {
    const called = calledOperationOf(tool, op)
    const { values, notes } = cutQuery(await readArguments(given, called, context), called, context.fields)
    return await answerOf(called, values, notes, context)
  } catch (error) {
    if (!(error instanceof RefusedArguments)) throw error
    const { status, headers, body } = answerOfRefusal(error)
    return { status, headers, content: { error: (body as { readonly error: unknown }).error } }
  }
}

/** Returns the operation that `op` names; a tool of one op needs none. Throws RefusedArguments. */
function calledOperationOf(tool: Tool, given: unknown): CalledOperation {
  const ops = Object.keys(tool.ops)
  const isAbsent = given === undefined || given === null || given === ''
  const op = isAbsent && ops.length === 1 ? ops[0]! : given
  if (typeof op === 'string' && Object.hasOwn(tool.ops, op)) return { tool, op, operation: tool.ops[op]! }
  const shown = typeof op === 'string' ? op.slice(0, SHOWN_LENGTH) : op === undefined ? null : typeof op
  const guess = typeof op === 'string' ? didYouMean(op, ops) : null
  const message = isAbsent
    ? 'op is missing.'
    : guess
      ? `There is no such op; did you mean ${guess}?`
      : 'There is no such op.'
  const details = { op: shown, ...(guess && { did_you_mean: guess }), expected_ops: ops }
  throw new RefusedArguments(message, details)
}

/** Cuts a text at the contract's limit where the operation says so: hooks send a whole prompt as a query. */
function cutQuery(
  values: Arguments,
  { operation }: CalledOperation,
  fields: ToolFields,
): { readonly values: Arguments; readonly notes: readonly string[] } {
  const { cuts } = operation
  const text = cuts === undefined ? undefined : values[cuts]
  const field = fields.of(operation).find(({ name }) => name === cuts)
  const most = (field?.schema['x-trimmed-length'] as { readonly max: number } | undefined)?.max
  if (cuts === undefined || typeof text !== 'string' || most === undefined) return { values, notes: [] }
  const characters = [...text.trim()]
  if (characters.length <= most) return { values, notes: [] }
  const note = `${cuts} was cut to its first ${most} of ${characters.length} characters.`
  return { values: { ...values, [cuts]: characters.slice(0, most).join('') }, notes: [note] }
}

async function answerOf(
  called: CalledOperation,
  values: Arguments,
  notes: readonly string[],
  context: ToolContext,
  isShorter = false,
): Promise<ToolContent> {
  const { op, operation } = called
  const { fields, tenantId, callOperation } = context
  const known = fields.of(operation)
  const takes = (name: string) => known.some((field) => field.name === name)
  const request = requestOf(operation, { ...operation.defaults, ...withTenant(values, known, tenantId) }, fields)
  const { status, headers, body } = await callOperation(request)
  if (status >= 400) {
    const { error } = body as { readonly error: Content }
    return { status, headers, content: toldOnce({ error }, op, known) }
  }
  const whole = contentOf(body, called, values)
  const { content, kept, notes: cut } = fitAnswer(whole)
  // The cursor goes on after the last row of a page, so a page that is cut is asked for anew, with as many rows as fit.
  if (kept !== null && takes('cursor') && takes('limit'))
    return answerOf(called, { ...values, limit: kept }, notes, context, true)
  const more = kept !== null && takes('skip') ? [`List them with skip: ${kept + skipOf(values)}.`] : []
  const shorter = isShorter ? ['No more rows fit into the answer; next_cursor goes on.'] : []
  const all = [...notes, ...cut, ...more, ...shorter]
  return { status, headers, content: { ...content, ...(all.length > 0 && { _notes: all }) } }
}

/** Adds the tenant of the key where the operation has a place for it and the caller named none. */
function withTenant(values: Arguments, known: readonly Field[], tenantId: string | null): Arguments {
  const takesTenant = tenantId !== null && known.some(({ name }) => name === 'tenant_id')
  return takesTenant ? { tenant_id: tenantId, ...values } : values
}

/** Returns what a model reads of an operation's answer. */
function contentOf(body: unknown, { operation }: CalledOperation, values: Arguments): Content {
  const whole = objectOf(body)
  const { lean, echoes } = operation
  const content = lean && values.explain !== true ? leanContentOf(whole, lean) : whole
  return {
    ...content,
    ...(Array.isArray(content.results) && { results: content.results.map(withItemError) }),
    ...(operation.skips && Array.isArray(content.items) && { items: content.items.slice(skipOf(values)) }),
    ...(echoes !== undefined && { [echoes]: values[echoes] ?? null }),
  }
}

function objectOf(body: unknown): Content {
  if (body === undefined || body === null) return {}
  return Array.isArray(body) ? { items: body } : (body as Content)
}

function withItemError(result: Content): Content {
  return result.error === undefined ? result : { ...result, error: itemErrorOf(result.error as Content) }
}

function skipOf({ skip }: Arguments): number {
  return typeof skip === 'number' && skip > 0 ? Math.floor(skip) : 0
}
