import { UnavailableError } from '../runtime/errors.js'
import type { ClientLog } from '../runtime/logger.js'
import { createCallLanes, retrySettings, type ObserveCall, type RetrySettings } from './call-lanes.js'
import { malformed, ModelCallError, postJson, type ModelEndpoint } from './model-call.js'
import { modelEndpoint, type EndpointSettings } from './model-endpoint.js'
import { logistic, type Reranker } from './reranker.js'

/** A service with Jina's and Cohere's `/rerank`, which is appended to the path of its URL. */
export interface HttpRerankerSettings extends EndpointSettings, Partial<RetrySettings> {
  /** Milliseconds for a call, including waiting for a slot and a retry. Default 300. */
  readonly deadlineMs?: number
  /** Concurrent calls. Default 16. */
  readonly concurrency?: number
}

interface HttpRerankerOptions {
  readonly log?: ClientLog
  readonly observeCall?: ObserveCall | undefined
}

const ENDPOINT_NAME = 'reranker'

/**
 * Creates a reranker for any `/rerank` in the form of Jina's and Cohere's, with the id `rerank:<model>`. `rerank`
 * throws only `UnavailableError`, its cause a `ModelCallError`. Throws `ConfigError` for invalid settings; the endpoint
 * is not contacted before it is needed.
 */
export function createHttpReranker(settings: HttpRerankerSettings, options: HttpRerankerOptions = {}): Reranker {
  const endpoint = modelEndpoint(settings, { what: ENDPOINT_NAME, prefix: 'RERANK', path: 'rerank' })
  const { deadlineMs = 300, concurrency = 16 } = settings
  const lanes = createCallLanes<'recall'>(
    // One retry for a connection that broke; there is no time for more.
    {
      concurrency,
      reserved: 0,
      timeoutMs: deadlineMs,
      ...retrySettings({ retries: 1, retryDelayMs: 5, longestRetryDelayMs: 50, ...settings }),
    },
    {
      what: ENDPOINT_NAME,
      name: ENDPOINT_NAME,
      lanes: ['recall'],
      probe: (signal) => callRerank(endpoint, 'ping', ['ping'], signal),
      observeCall: options.observeCall,
      ...(options.log && { log: options.log }),
    },
  )
  /** Some servers return logits; one such answer shows that all are. */
  let givesLogits = false

  return {
    id: `rerank:${settings.model}`,
    remote: true,
    async rerank(query, texts, signal) {
      if (texts.length === 0) return []
      try {
        const scores = await lanes.call('recall', (limit) => callRerank(endpoint, query, texts, limit), {
          withinMs: deadlineMs,
          ...(signal && { signal }),
        })
        givesLogits ||= scores.some((score) => score < 0 || score > 1)
        return givesLogits ? scores.map(logistic) : scores
      } catch (error) {
        if (!(error instanceof ModelCallError)) throw error
        throw new UnavailableError('reranker', error)
      }
    },
    health: () => lanes.health(),
    async close() {
      lanes.close()
    },
  }
}

/** Makes one call of `POST /rerank` and returns one score per text, in order. Throws only `ModelCallError`. */
async function callRerank(
  endpoint: ModelEndpoint,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const body = { model: endpoint.model, query, documents: texts, top_n: texts.length }
  const answer = (await postJson(endpoint, body, signal)) as { results?: unknown } | null
  if (!Array.isArray(answer?.results)) throw malformed(endpoint, 'has no list `results`')
  if (answer.results.length !== texts.length)
    throw malformed(endpoint, `has ${answer.results.length} results for ${texts.length} texts`)
  const scores = new Array<number | undefined>(texts.length)
  for (const result of answer.results as ({ index?: unknown; relevance_score?: unknown } | null)[]) {
    const { index, relevance_score: score } = result ?? {}
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= texts.length)
      throw malformed(endpoint, 'has a result without a valid `index`')
    if (scores[index as number] !== undefined) throw malformed(endpoint, 'has two results of one `index`')
    if (!Number.isFinite(score)) throw malformed(endpoint, 'has a `relevance_score` that is not a number')
    scores[index as number] = score as number
  }
  return scores as number[]
}
