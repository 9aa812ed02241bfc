import { setMaxListeners } from 'node:events'
import { ConfigError, UnavailableError } from '../runtime/errors.js'
import type { ClientLog } from '../runtime/logger.js'
import {
  createCallLanes,
  retrySettings,
  reservedOf,
  type LaneSettings,
  type ObserveCall,
  type RetrySettings,
} from './call-lanes.js'
import type { Embedder, EmbeddingPurpose } from './embedder.js'
import { callEmbeddings } from './embeddings-call.js'
import { abortedError, ModelCallError, type ModelEndpoint } from './model-call.js'
import { modelEndpoint, type EndpointSettings } from './model-endpoint.js'

/** An OpenAI-compatible service; `/embeddings` is appended to the path of its URL. */
export interface HttpEmbedderSettings extends EndpointSettings, Partial<RetrySettings> {
  /** Dimensions of the model's vectors; when absent, one call at startup determines them. */
  readonly dimensions?: number | null
  /** Texts per call. Default 64. */
  readonly batchSize?: number
  /** Time limit of one call. Default 10,000. */
  readonly timeoutMs?: number
  /** Milliseconds for a query's call, including waiting for a slot and retries. Default 3,000. */
  readonly queryDeadlineMs?: number
  /** Concurrent calls, at least 2. Default 8. */
  readonly concurrency?: number
  /** Share of `concurrency` that passages leave free for queries, 0 to 1; at least one call. Default 0.25. */
  readonly queryShare?: number
  /** Default 0.95. */
  readonly nearDuplicateCosine?: number
}

interface HttpEmbedderOptions {
  readonly log?: ClientLog
  readonly observeCall?: ObserveCall | undefined
}

/**
 * Creates an embedder for any OpenAI-compatible `/embeddings`, with the id `openai:<model>`. Blank texts are not sent
 * and have the zero vector. `embed` throws only `UnavailableError`, its cause a `ModelCallError`: `refused` concerns
 * the texts (one may be too long), everything else the endpoint. Throws `ConfigError` for invalid settings, and when
 * `dimensions` is absent and the endpoint does not answer: its cause is then the `ModelCallError`.
 */
export async function createHttpEmbedder(
  settings: HttpEmbedderSettings,
  options: HttpEmbedderOptions = {},
): Promise<Embedder> {
  const endpoint = modelEndpoint(settings, { what: ENDPOINT_NAME, prefix: 'EMBEDDINGS', path: 'embeddings' })
  const laneSettings = laneSettingsOf(settings)
  const dimensions = settings.dimensions ?? (await findDimensions(endpoint, laneSettings))
  const lanes = createEmbeddingLanes(endpoint, laneSettings, dimensions, options)
  const { batchSize = 64, queryDeadlineMs = 3_000 } = settings

  async function embedBatches(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
    const places = [...texts.keys()].filter((place) => texts[place]!.trim() !== '')
    const batches = Array.from({ length: Math.ceil(places.length / batchSize) }, (_, batch) =>
      places.slice(batch * batchSize, (batch + 1) * batchSize),
    )
    const limits = { signal, ...(purpose === 'query' && { withinMs: queryDeadlineMs }) }
    await Promise.all(
      batches.map(async (batch) => {
        const inputs = batch.map((place) => texts[place]!)
        const answer = await lanes.call(purpose, (limit) => callEmbeddings(endpoint, inputs, dimensions, limit), limits)
        batch.forEach((place, index) => (vectors[place] = answer[index]!))
      }),
    )
    return vectors
  }

  return {
    id: `openai:${settings.model}`,
    dimensions,
    inline: false,
    remote: true,
    nearDuplicateCosine: settings.nearDuplicateCosine ?? 0.95,
    async embed(texts, purpose, signal) {
      const stop = new AbortController()
      // One listener for each batch in progress is not a leak.
      setMaxListeners(0, stop.signal)
      const abort = () => stop.abort(abortedError())
      if (signal?.aborted) abort()
      signal?.addEventListener('abort', abort, { once: true })
      try {
        return await embedBatches(texts, purpose, stop.signal)
      } catch (error) {
        throw new UnavailableError('embedder', error)
      } finally {
        // An answer is never partial: after one failed batch the others are not awaited.
        abort()
        signal?.removeEventListener('abort', abort)
      }
    },
    health: () => lanes.health(),
    async close() {
      lanes.close()
    },
  }
}

const ENDPOINT_NAME = 'embeddings endpoint'

/** Creates the lanes; a bulk load of passages leaves a share of the calls to queries. */
function createEmbeddingLanes(
  endpoint: ModelEndpoint,
  settings: LaneSettings,
  dimensions: number | undefined,
  { log, observeCall }: HttpEmbedderOptions,
) {
  return createCallLanes<EmbeddingPurpose>(settings, {
    what: ENDPOINT_NAME,
    name: 'embedder',
    lanes: ['query', 'passage'],
    probe: (signal) => callEmbeddings(endpoint, ['ping'], dimensions, signal),
    observeCall,
    ...(log && { log }),
  })
}

async function findDimensions(endpoint: ModelEndpoint, settings: LaneSettings): Promise<number> {
  const lanes = createEmbeddingLanes(endpoint, settings, undefined, {})
  try {
    const [vector] = await lanes.call('query', (signal) => callEmbeddings(endpoint, ['dimensions'], undefined, signal))
    return vector!.length
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error
    if (error.status === 401 || error.status === 403) {
      throw new ConfigError('EMBEDDINGS_KEY', `${error.message} Set the key that the endpoint expects.`, error)
    }
    throw new ConfigError(
      'EMBEDDINGS_URL',
      `${error.message} Check it and EMBEDDINGS_MODEL, or set EMBEDDINGS_DIMENSIONS to start while the endpoint is unavailable.`,
      error,
    )
  } finally {
    lanes.close()
  }
}

function laneSettingsOf(settings: HttpEmbedderSettings): LaneSettings {
  const { batchSize = 64, concurrency = 8, queryShare = 0.25 } = settings
  const integerFrom = (least: number, value: number) => Number.isInteger(value) && value >= least
  if (!integerFrom(1, settings.dimensions ?? 1))
    throw new ConfigError('EMBEDDINGS_DIMENSIONS', 'must be an integer of at least 1.')
  if (!integerFrom(1, batchSize)) throw new ConfigError('EMBEDDINGS_BATCH_SIZE', 'must be an integer of at least 1.')
  if (!integerFrom(2, concurrency)) {
    throw new ConfigError(
      'EMBEDDINGS_CONCURRENCY',
      'must be an integer of at least 2: one call is reserved for queries.',
    )
  }
  if (!(queryShare >= 0 && queryShare <= 1)) throw new ConfigError('EMBEDDINGS_QUERY_SHARE', 'must be from 0 to 1.')
  return {
    concurrency,
    reserved: reservedOf(concurrency, queryShare),
    timeoutMs: settings.timeoutMs ?? 10_000,
    ...retrySettings(settings),
  }
}
