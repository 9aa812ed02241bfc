import { withoutHalfCharacter } from '../domain/text/characters.js'
import { ConfigError, UnavailableError } from '../runtime/errors.js'
import type { ClientLog } from '../runtime/logger.js'
import type { AnswerSchema } from './answer-schema.js'
import { createCallLanes, reservedOf, retrySettings, type ObserveCall, type RetrySettings } from './call-lanes.js'
import { callChat, dialectAfter, FIRST_DIALECT, type ChatAnswer, type ChatMessage, type Dialect } from './chat-call.js'
import type { CompletionBudget, LanguageModel, Prompt, TokenUse } from './language-model.js'
import { ModelCallError, type ModelEndpoint, type ModelFailure } from './model-call.js'
import { modelEndpoint, type EndpointSettings } from './model-endpoint.js'

/** An OpenAI-compatible service; `/chat/completions` is appended to the path of its URL. */
export interface HttpLanguageModelSettings extends EndpointSettings, Partial<RetrySettings> {
  /** Time limit of one call. Default 60,000. */
  readonly timeoutMs?: number
  /** Concurrent calls, at least 2; a quarter of them is reserved for interactive requests. Default 4. */
  readonly concurrency?: number
  /** Maximum tokens of any answer, whatever a budget allows. Default 2,000. */
  readonly maxOutputTokens?: number
  /** Added to an answer's tokens for a reasoning model. Default 0. */
  readonly reasoningTokens?: number
}

interface HttpLanguageModelOptions {
  readonly log?: ClientLog
  readonly observeCall?: ObserveCall | undefined
  /** Called after each completion with its outcome, duration and token use. */
  readonly observe?: (outcome: 'ok' | ModelFailure, seconds: number, tokens: TokenUse) => void
}

const ENDPOINT_NAME = 'language model'
const RESERVED_SHARE = 0.25

/**
 * Creates a language model for any OpenAI-compatible `/chat/completions`, with the id `openai:<model>`. It requests
 * JSON by schema, or in whichever weaker way the server accepts, validates the answer itself, and asks once for the
 * repair of an invalid one. Throws `ConfigError` for invalid settings; the endpoint is not contacted before it is
 * needed.
 */
export function createHttpLanguageModel(
  settings: HttpLanguageModelSettings,
  options: HttpLanguageModelOptions = {},
): LanguageModel {
  const endpoint = modelEndpoint(settings, { what: ENDPOINT_NAME, prefix: 'LLM', path: 'chat/completions' })
  const { concurrency = 4, maxOutputTokens = 2_000, reasoningTokens = 0 } = settings
  if (!Number.isInteger(concurrency) || concurrency < 2)
    throw new ConfigError(
      'LLM_CONCURRENCY',
      'must be an integer of at least 2: one call is reserved for interactive requests.',
    )
  const dialects = createDialects(endpoint)
  const lanes = createCallLanes<CompletionBudget['lane']>(
    {
      concurrency,
      reserved: reservedOf(concurrency, RESERVED_SHARE),
      timeoutMs: settings.timeoutMs ?? 60_000,
      ...retrySettings(settings),
    },
    {
      what: ENDPOINT_NAME,
      name: ENDPOINT_NAME,
      lanes: ['interactive', 'background'],
      probe: (signal) => dialects.ping(signal),
      observeCall: options.observeCall,
      ...(options.log && { log: options.log }),
    },
  )

  async function complete<T>(prompt: Prompt, schema: AnswerSchema<T>, budget: CompletionBudget, signal?: AbortSignal) {
    const endsAt = performance.now() + (budget.withinMs ?? Infinity)
    const maxTokens = Math.min(budget.maxOutputTokens, maxOutputTokens) + reasoningTokens
    const ask = async (messages: readonly ChatMessage[]) => {
      const withinMs = budget.withinMs === undefined ? undefined : endsAt - performance.now()
      const limits = { ...(signal && { signal }), ...(withinMs !== undefined && { withinMs }) }
      const answer = await dialects.ask({ messages, maxTokens, schema }, (call) =>
        lanes.call(budget.lane, call, limits),
      )
      budget.spend?.(answer.tokens)
      return answer
    }
    return completeWithRepair(schema, ask, [
      { role: 'system', content: prompt.instructions },
      { role: 'user', content: prompt.input },
    ])
  }

  return {
    id: `openai:${settings.model}`,
    async complete(prompt, schema, budget, signal) {
      const started = performance.now()
      const used = { input: 0, output: 0 }
      const observe = (outcome: 'ok' | ModelFailure) =>
        options.observe?.(outcome, (performance.now() - started) / 1_000, used)
      const spend = (tokens: TokenUse) => {
        used.input += tokens.input
        used.output += tokens.output
        budget.spend?.(tokens)
      }
      try {
        const value = await complete(prompt, schema, { ...budget, spend }, signal)
        observe('ok')
        return value
      } catch (error) {
        if (!(error instanceof ModelCallError)) throw error
        observe(error.failure)
        throw error.fault === 'input' ? error : new UnavailableError('language model', error)
      }
    },
    answers: (signal) => lanes.answers(signal),
    health: () => lanes.health(),
    async close() {
      lanes.close()
    },
  }
}

/** Characters of an invalid answer that are sent back to the model. */
const REPAIR_LENGTH = 8_000

/**
 * Returns the answer's value. An answer that does not match the schema is sent back once, with its errors; one that was
 * cut off is not repaired.
 */
async function completeWithRepair<T>(
  schema: AnswerSchema<T>,
  ask: (messages: readonly ChatMessage[]) => Promise<ChatAnswer>,
  messages: readonly ChatMessage[],
): Promise<T> {
  const first = await ask(messages)
  const read = schema.read(first.text)
  if ('value' in read) return read.value
  if (first.cutOff) throw new ModelCallError('unfit', `The ${ENDPOINT_NAME}'s answer reached its token limit.`)
  const second = await ask([
    ...messages,
    { role: 'assistant', content: withoutHalfCharacter(first.text.slice(0, REPAIR_LENGTH)) },
    {
      role: 'user',
      content: `That answer cannot be used: ${read.faults}. Answer again, with one JSON object that fits the schema and nothing else.`,
    },
  ])
  const repaired = schema.read(second.text)
  if ('value' in repaired) return repaired.value
  throw new ModelCallError(
    'unfit',
    `The ${ENDPOINT_NAME}'s answer does not match its schema, and neither does the repaired one.`,
  )
}

/** Determines which dialect the endpoint accepts, once, and remembers it. */
function createDialects(endpoint: ModelEndpoint) {
  let known: Dialect = FIRST_DIALECT
  let isProven = false

  return {
    async ask(
      request: Parameters<typeof callChat>[1],
      through: (call: (signal: AbortSignal) => Promise<ChatAnswer>) => Promise<ChatAnswer>,
    ): Promise<ChatAnswer> {
      for (let dialect = known; ;) {
        const tried = dialect
        try {
          const answer = await through((signal) => callChat(endpoint, request, tried, signal))
          known = tried
          isProven = true
          return answer
        } catch (error) {
          const isRefusal = error instanceof ModelCallError && error.failure === 'refused' && error.status !== undefined
          const next = isRefusal ? dialectAfter(tried, error, isProven && tried === known) : null
          if (next === null) throw error
          dialect = next
        }
      }
    },
    /** Any answer shows that the endpoint is reachable, even the error that the limit was too low. */
    ping: (signal: AbortSignal) =>
      callChat(endpoint, { messages: [{ role: 'user', content: 'ping' }], maxTokens: 1 }, known, signal),
  }
}
