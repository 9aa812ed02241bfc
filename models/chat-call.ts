import type { AnswerSchema } from './answer-schema.js'
import type { TokenUse } from './language-model.js'
import { malformed, ModelCallError, postJson, type ModelEndpoint } from './model-call.js'

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** The parameters in which servers and models differ; determined from what they reject. */
export interface Dialect {
  readonly format: 'json_schema' | 'json_object' | 'none'
  /** Newer models of OpenAI accept only the second. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** Reasoning models reject a temperature. */
  readonly temperature: boolean
}

export const FIRST_DIALECT: Dialect = { format: 'json_schema', limit: 'max_tokens', temperature: true }

interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly maxTokens: number
  readonly schema?: Pick<AnswerSchema<unknown>, 'name' | 'schema'>
}

export interface ChatAnswer {
  readonly text: string
  /** True when the answer reached its token limit. */
  readonly cutOff: boolean
  readonly tokens: TokenUse
}

/** Many times what any token limit can amount to. */
const MAX_BYTES = 4 * 1024 * 1024
const WATCHED = ['max_completion_tokens', 'max_tokens', 'temperature', 'response_format', 'json_schema', 'json_object']

/**
 * Makes one call of the OpenAI-compatible `POST /chat/completions`. Throws only `ModelCallError`; an abort of `signal`
 * is reported as `timeout`, and a model that declines as `refused`.
 */
export async function callChat(
  endpoint: ModelEndpoint,
  request: ChatRequest,
  dialect: Dialect,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const body = {
    model: endpoint.model,
    messages: withSchema(request),
    [dialect.limit]: request.maxTokens,
    ...(dialect.temperature && { temperature: 0 }),
    ...(request.schema && formatOf(dialect, request.schema)),
  }
  const answer = await postJson(endpoint, body, signal, { watched: WATCHED, maxBytes: MAX_BYTES })
  return readAnswer(endpoint, answer, request)
}

/**
 * Returns the dialect to try after this refusal, or null when the refusal concerns the input. A refusal that names none
 * of the dialect's words is attributed to the format as long as no answer has shown that the dialect is understood.
 */
export function dialectAfter(dialect: Dialect, { named }: ModelCallError, isProven: boolean): Dialect | null {
  if (dialect.limit === 'max_tokens' && named.includes('max_completion_tokens'))
    return { ...dialect, limit: 'max_completion_tokens' }
  if (dialect.temperature && named.includes('temperature')) return { ...dialect, temperature: false }
  const formatNamed = ['response_format', 'json_schema', 'json_object'].some((word) => named.includes(word))
  if (dialect.format === 'json_schema' && (formatNamed || !isProven)) return { ...dialect, format: 'json_object' }
  if (dialect.format === 'json_object' && formatNamed) return { ...dialect, format: 'none' }
  return null
}

/**
 * Adds the schema to the instructions as well: a server may enforce a schema without showing it to the model, or accept
 * and ignore it.
 */
function withSchema({ messages, schema }: ChatRequest): readonly ChatMessage[] {
  if (!schema) return messages
  const rule = `Answer with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema.schema)}`
  return messages.map((message) =>
    message.role === 'system' ? { ...message, content: `${message.content}\n\n${rule}` } : message,
  )
}

/**
 * Returns the `response_format`. Not `strict`, which supports only a part of JSON Schema and rejects the rest: the
 * answer is validated here in any case.
 */
function formatOf({ format }: Dialect, { name, schema }: NonNullable<ChatRequest['schema']>): object {
  switch (format) {
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: { name, schema } } }
    case 'json_object':
      return { response_format: { type: 'json_object' } }
    case 'none':
      return {}
  }
}

interface Choice {
  readonly finish_reason?: unknown
  readonly message?: { readonly content?: unknown; readonly refusal?: unknown }
}

function readAnswer(endpoint: ModelEndpoint, body: unknown, { messages }: ChatRequest): ChatAnswer {
  const { choices, usage } = (body ?? {}) as { choices?: unknown; usage?: unknown }
  const choice = Array.isArray(choices) ? (choices[0] as Choice | null | undefined) : undefined
  if (typeof choice?.message !== 'object' || choice.message === null) throw malformed(endpoint, 'has no message')
  const { content, refusal } = choice.message
  if (choice.finish_reason === 'content_filter' || (typeof refusal === 'string' && refusal !== ''))
    throw new ModelCallError('refused', `The ${endpoint.what} declined.`)
  const text = textOf(content)
  const asked = messages.reduce((length, message) => length + message.content.length, 0)
  return { text, cutOff: choice.finish_reason === 'length', tokens: tokensOf(usage, asked, text.length) }
}

/** Returns the text of a content, which is a string or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return (content as ({ text?: unknown } | null)[])
    .map((part) => (typeof part?.text === 'string' ? part.text : ''))
    .join('')
}

/**
 * A larger number is no token count, since no context is as long: it would exhaust a budget, or overflow where budgets
 * are stored.
 */
const MOST_TOKENS = 100_000_000

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS
}

/** English has about four characters per token; for endpoints that report no counts. */
const CHARACTERS_PER_TOKEN = 4

function tokensOf(usage: unknown, askedLength: number, answeredLength: number): TokenUse {
  const { prompt_tokens: input, completion_tokens: output } = (usage ?? {}) as Record<string, unknown>
  const counted = (value: unknown, length: number) =>
    isCount(value) ? value : Math.ceil(length / CHARACTERS_PER_TOKEN)
  return { input: counted(input, askedLength), output: counted(output, answeredLength) }
}
