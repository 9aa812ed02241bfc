import { setMaxListeners } from 'node:events'
import { ConfigError, UnavailableError } from '../runtime/errors.js'
import type { Embedder, EmbeddingPurpose } from './embedder.js'
import { createEmbeddingLanes, type EmbeddingLog, type LaneSettings } from './embedding-lanes.js'
import { abortedError, EmbeddingCallError, type EmbeddingsEndpoint } from './embeddings-call.js'

export interface HttpEmbedderSettings {
  /** Base of an OpenAI-compatible service, such as http://host/v1; `/embeddings` is appended to its path. */
  readonly url: string
  readonly model: string
  /** Sent as a bearer token. */
  readonly key?: string | null
  /** What the model gives; when absent one call at the start finds out. */
  readonly dimensions?: number | null
  /** Texts in one call. Default 64. */
  readonly batchSize?: number
  /** Time limit of one call. Default 10,000. */
  readonly timeoutMs?: number
  /** Calls at a time, at least 2. Default 8. */
  readonly concurrency?: number
  /** The share of `concurrency` that passages leave free for queries, 0 to 1; one call at least. Default 0.25. */
  readonly queryShare?: number
  /** Further tries of a call that failed for a passing reason. Default 2. */
  readonly retries?: number
  /** First and longest pause between tries; between them they grow with jitter. Default 200 and 5,000. */
  readonly retryDelayMs?: number
  readonly longestRetryDelayMs?: number
  /** Failed calls in a row that open the circuit. Default 5. */
  readonly breakerFailures?: number
  /** How long an open circuit waits before it asks the endpoint again. Default 5,000. */
  readonly breakerOpenMs?: number
  /** Default 0.95. */
  readonly nearDuplicateCosine?: number
}

export interface HttpEmbedderOptions {
  readonly log?: EmbeddingLog
}

/**
 * An embedder behind any OpenAI-compatible `/embeddings`, id `openai:<model>`. Texts of white space only are not sent and
 * have the zero vector. `embed` fails with `UnavailableError` alone, its cause an `EmbeddingCallError`: `refused` is about
 * the texts (one may be too long), all else about the endpoint.
 * Throws `ConfigError` for settings that cannot work, and when `dimensions` is absent and the endpoint does not answer.
 */
export async function createHttpEmbedder(
  settings: HttpEmbedderSettings,
  options: HttpEmbedderOptions = {},
): Promise<Embedder> {
  const endpoint = endpointOf(settings)
  const laneSettings = laneSettingsOf(settings)
  const dimensions = settings.dimensions ?? (await findDimensions(endpoint, laneSettings))
  const lanes = createEmbeddingLanes(endpoint, laneSettings, { ...options, dimensions })
  const batchSize = settings.batchSize ?? 64
  const open = new Set<AbortController>()
  let closed = false

  async function embedBatches(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
    const places = [...texts.keys()].filter((place) => texts[place]!.trim() !== '')
    const batches = Array.from({ length: Math.ceil(places.length / batchSize) }, (_, batch) =>
      places.slice(batch * batchSize, (batch + 1) * batchSize),
    )
    await Promise.all(
      batches.map(async (batch) => {
        const inputs = batch.map((place) => texts[place]!)
        const answer = await lanes.call(purpose, inputs, signal)
        batch.forEach((place, index) => (vectors[place] = answer[index]!))
      }),
    )
    return vectors
  }

  return {
    id: `openai:${settings.model}`,
    dimensions,
    inline: false,
    nearDuplicateCosine: settings.nearDuplicateCosine ?? 0.95,
    async embed(texts, purpose, signal) {
      const stop = new AbortController()
      // One listener for each batch under way is no leak.
      setMaxListeners(0, stop.signal)
      const abort = () => stop.abort()
      if (closed || signal?.aborted) abort()
      signal?.addEventListener('abort', abort, { once: true })
      open.add(stop)
      try {
        return await untilAborted(stop.signal, () => embedBatches(texts, purpose, stop.signal))
      } catch (error) {
        throw new UnavailableError('embedder', error)
      } finally {
        // An answer is whole or not at all: after one failed batch the others are not waited for.
        stop.abort()
        open.delete(stop)
        signal?.removeEventListener('abort', abort)
      }
    },
    health: () => lanes.health(),
    async close() {
      closed = true
      for (const stop of open) stop.abort()
      lanes.close()
    },
  }
}

/** Rejects as soon as the signal aborts, although work that queues or pauses between tries notices it only later. */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortedError())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work().then(resolve, reject)
  })
}

async function findDimensions(endpoint: EmbeddingsEndpoint, settings: LaneSettings): Promise<number> {
  const lanes = createEmbeddingLanes(endpoint, settings, {})
  try {
    const [vector] = await lanes.call('query', ['dimensions'], new AbortController().signal)
    return vector!.length
  } catch (error) {
    if (!(error instanceof EmbeddingCallError)) throw error
    if (error.status === 401 || error.status === 403) {
      throw new ConfigError('EMBEDDINGS_KEY', `${error.message} Set the key that the endpoint expects.`)
    }
    throw new ConfigError(
      'EMBEDDINGS_URL',
      `${error.message} Check it and EMBEDDINGS_MODEL, or set EMBEDDINGS_DIMENSIONS to start while the endpoint is away.`,
    )
  } finally {
    lanes.close()
  }
}

function endpointOf({ url: base, model, key }: HttpEmbedderSettings): EmbeddingsEndpoint {
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ConfigError('EMBEDDINGS_URL', 'must be the base of an OpenAI-compatible service, such as http://host/v1.')
  }
  if (url.username || url.password) {
    throw new ConfigError('EMBEDDINGS_URL', 'must not hold credentials; put the key into EMBEDDINGS_KEY.')
  }
  if (!model) throw new ConfigError('EMBEDDINGS_MODEL', 'must name the model to ask EMBEDDINGS_URL for.')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`
  try {
    const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json' })
    if (key) headers.set('authorization', `Bearer ${key}`)
    return { url, headers, model }
  } catch {
    // The original error quotes the header, that is the key.
    throw new ConfigError('EMBEDDINGS_KEY', 'has characters that an HTTP header cannot carry.')
  }
}

function laneSettingsOf(settings: HttpEmbedderSettings): LaneSettings {
  const { batchSize = 64, concurrency = 8, queryShare = 0.25 } = settings
  const integerFrom = (least: number, value: number) => Number.isInteger(value) && value >= least
  if (!integerFrom(1, settings.dimensions ?? 1))
    throw new ConfigError('EMBEDDINGS_DIMENSIONS', 'must be a whole number from 1.')
  if (!integerFrom(1, batchSize)) throw new ConfigError('EMBEDDINGS_BATCH_SIZE', 'must be a whole number from 1.')
  if (!integerFrom(2, concurrency)) {
    throw new ConfigError('EMBEDDINGS_CONCURRENCY', 'must be a whole number from 2: one call is kept for queries.')
  }
  if (!(queryShare >= 0 && queryShare <= 1)) throw new ConfigError('EMBEDDINGS_QUERY_SHARE', 'must be from 0 to 1.')
  return {
    concurrency,
    reservedForQueries: Math.min(concurrency - 1, Math.max(1, Math.round(concurrency * queryShare))),
    timeoutMs: settings.timeoutMs ?? 10_000,
    retries: settings.retries ?? 2,
    retryDelayMs: settings.retryDelayMs ?? 200,
    longestRetryDelayMs: settings.longestRetryDelayMs ?? 5_000,
    breakerFailures: settings.breakerFailures ?? 5,
    breakerOpenMs: settings.breakerOpenMs ?? 5_000,
  }
}
