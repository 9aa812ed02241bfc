import { ConfigError, UnavailableError } from '../../runtime/errors.js'
import type { ClientLog } from '../../runtime/logger.js'
import { createCallLanes, retrySettings, type ObserveCall, type RetrySettings } from '../call-lanes.js'
import type { Embedder, EmbeddingPurpose } from '../embedder.js'
import { lateError, ModelCallError } from '../model-call.js'
import { needsLibrary, startModelThread, UnusableModelError, type ModelThread } from '../model-thread.js'
import type { LocalModel, ModelFacts } from './thread.js'

export interface LocalEmbedderSettings extends Partial<Omit<RetrySettings, 'retries'>> {
  readonly name: string
  readonly folder?: string | null
  readonly cacheFolder?: string | null
  /** Milliseconds for a query's call, including waiting. Default 3,000. */
  readonly queryDeadlineMs?: number
  /** Default: @huggingface/transformers. */
  readonly library?: string
  /** See `ModelThreadSettings`. */
  readonly hungMs?: number
  readonly restartMs?: number
}

/** Texts of passages that a query may have to wait for: some 10 ms each. */
const SLICE_SIZE = 4
const LIBRARY = '@huggingface/transformers'
const MODEL_NAME = 'local embedder'

type EmbedderThread = ModelThread<readonly string[], readonly Float32Array[], ModelFacts>

/**
 * Creates an embedder from a transformer in this process, with the id `local:<name>`: mean pooling, unit vectors, 8-bit
 * weights, in a thread of its own, queries before passages. The library is an optional peer dependency. Blank texts
 * have the zero vector. `embed` throws only `UnavailableError`, its cause a `ModelCallError`: `refused` concerns the
 * texts. Throws ConfigError when the library or the model is not available.
 */
export async function createLocalEmbedder(
  settings: LocalEmbedderSettings,
  { log, observeCall }: { readonly log?: ClientLog; readonly observeCall?: ObserveCall | undefined } = {},
): Promise<Embedder> {
  const { name, queryDeadlineMs = 3_000 } = settings
  const thread = await loadModel(settings)
  const { dimensions } = thread.facts
  // One call at a time: between two slices of passages, a waiting query goes first.
  const lanes = createCallLanes<EmbeddingPurpose>(
    { concurrency: 1, reserved: 0, timeoutMs: NO_TIMEOUT_MS, ...retrySettings({ ...settings, retries: 0 }) },
    {
      what: MODEL_NAME,
      name: MODEL_NAME,
      lanes: ['query', 'passage'],
      probe: () => thread.ask(['ping']),
      observeCall,
      ...(log && { log }),
    },
  )

  async function embedAll(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal | undefined) {
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
    const places = [...texts.keys()].filter((place) => texts[place]!.trim() !== '')
    const limits = { ...(signal && { signal }), ...(purpose === 'query' && { withinMs: queryDeadlineMs }) }
    for (let from = 0; from < places.length; from += SLICE_SIZE) {
      const slice = places.slice(from, from + SLICE_SIZE)
      const asked = slice.map((place) => texts[place]!)
      const answer = await lanes.call(purpose, (limit) => embedSlice(thread, asked, limit), limits)
      slice.forEach((place, i) => (vectors[place] = answer[i]!))
    }
    return vectors
  }

  return {
    id: `local:${name}`,
    dimensions,
    inline: false,
    remote: false,
    nearDuplicateCosine: 0.95,
    async embed(texts, purpose, signal) {
      try {
        return await embedAll(texts, purpose, signal)
      } catch (error) {
        throw new UnavailableError('embedder', error)
      }
    },
    health: () => (thread.isReady() ? lanes.health() : { available: false, reason: 'the local model is not loaded' }),
    close() {
      lanes.close()
      return thread.close()
    },
  }
}

/** Effectively no timeout of a slice: a hung thread is terminated. */
const NO_TIMEOUT_MS = 24 * 3600_000

/**
 * Embeds a slice; on failure, a text that the model certainly can read shows whether the input or the model is at
 * fault.
 */
async function embedSlice(thread: EmbedderThread, texts: readonly string[], signal: AbortSignal) {
  if (signal.aborted) throw lateError({ what: MODEL_NAME })
  try {
    return await thread.ask(texts)
  } catch (error) {
    if (!(error instanceof ModelCallError) || error.failure !== 'failing') throw error
    await thread.ask(['ping'])
    throw new ModelCallError('refused', `The ${MODEL_NAME} cannot read a text.`)
  }
}

async function loadModel({ name, library = LIBRARY, ...settings }: LocalEmbedderSettings): Promise<EmbedderThread> {
  const { folder = null, cacheFolder = null, hungMs, restartMs } = settings
  const model: LocalModel = { name, folder, cacheFolder, library }
  try {
    return await startModelThread({
      what: MODEL_NAME,
      file: new URL('./thread', import.meta.url),
      model,
      ...(hungMs !== undefined && { hungMs }),
      ...(restartMs !== undefined && { restartMs }),
    })
  } catch (error) {
    if (!(error instanceof UnusableModelError)) throw error
    const where = folder === null ? 'from the hub' : 'from EMBEDDINGS_FOLDER'
    throw new ConfigError(
      'EMBEDDINGS_MODEL',
      error.isLibraryMissing
        ? needsLibrary(name, library)
        : `local:${name} cannot be loaded ${where} (${error.message}).`,
    )
  }
}
