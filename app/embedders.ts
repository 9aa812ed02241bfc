import type { ObserveCall } from '../models/call-lanes.js'
import type { Embedder } from '../models/embedder.js'
import { ModelCallError } from '../models/model-call.js'
import { createHttpEmbedder } from '../models/http-embedder.js'
import { createLocalEmbedder } from '../models/local/local-embedder.js'
import { BUILT_IN_MODELS, createStaticEmbedder, isStaticEmbedderId } from '../models/static-embedder.js'
import { builtInName, type EmbeddingsConfig } from '../runtime/config.js'
import type { Logger } from '../runtime/logger.js'
import { ConfigError, InvalidArgumentsError, UnavailableError } from '../runtime/errors.js'

/** The embedders of this process by their ids, each opened once. */
export interface Embedders {
  /** The id of the model that EMBEDDINGS_MODEL names. */
  readonly configured: string
  /**
   * Throws ConfigError when these settings do not allow the model. Without `dimensions` a remote model is asked for
   * them.
   */
  open(id: string, dimensions?: number): Promise<Embedder>
  /**
   * Opens an embedder by the name that an operator gives. Throws InvalidArgumentsError for a model that cannot be
   * opened, UnavailableError while its endpoint is unavailable.
   */
  openNamed(name: string): Promise<Embedder>
  close(id: string): Promise<void>
  closeAll(): Promise<void>
}

interface EmbedderWatch {
  readonly log?: Logger
  readonly observeCall?: ObserveCall
}

/** Creates the embedders. `given` replaces the configured one. */
export function createEmbedders(
  config: EmbeddingsConfig,
  { given, ...watch }: { readonly given?: Embedder | undefined } & EmbedderWatch = {},
): Embedders {
  const configured = given?.id ?? embedderId(config.model)
  const opened = new Map<string, Promise<Embedder>>(given ? [[given.id, Promise.resolve(given)]] : [])

  async function open(id: string, dimensions?: number): Promise<Embedder> {
    const known = opened.get(id)
    if (known) return known
    const opening = createEmbedder(config, id, dimensions ?? (id === configured ? config.dimensions : null), watch)
    opened.set(id, opening)
    opening.catch(() => opened.delete(id))
    return opening
  }
  async function close(id: string): Promise<void> {
    const known = opened.get(id)
    opened.delete(id)
    await (await known?.catch(() => undefined))?.close()
  }

  return {
    configured,
    open,
    async openNamed(name) {
      try {
        return await open(opened.has(name) ? name : embedderId(name))
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        if (error.cause instanceof ModelCallError && error.cause.retryable)
          throw new UnavailableError('embedder', error)
        throw InvalidArgumentsError.at(['model'], error.message, 'value_error', name)
      }
    },
    close,
    closeAll: async () => void (await Promise.all([...opened.keys()].map(close))),
  }
}

/**
 * Returns the `Embedder.id` of `builtin`, `builtin:NAME`, `local:NAME` or the endpoint's NAME; an id is returned unchanged.
 * Throws ConfigError for a built-in model that does not exist.
 */
export function embedderId(model: string): string {
  if (isStaticEmbedderId(model) || /^(local|openai):./.test(model)) return model
  const name = builtInName(model)
  if (name === null) return `openai:${model}`
  const id = BUILT_IN_MODELS.get(name)
  if (id !== undefined) return id
  const names = [...BUILT_IN_MODELS.keys()].join(' and ')
  throw new ConfigError('EMBEDDINGS_MODEL', `${model} is no built-in model: there are ${names}.`)
}

/** Creates an embedder. Throws ConfigError. */
export async function createEmbedder(
  config: EmbeddingsConfig,
  id: string,
  dimensions: number | null,
  watch: EmbedderWatch = {},
): Promise<Embedder> {
  if (isStaticEmbedderId(id)) return createStaticEmbedder(id)
  const { endpoint, folder, cacheFolder, queryDeadlineMs } = config
  if (id.startsWith('local:')) {
    const name = id.slice('local:'.length)
    return createLocalEmbedder({ name, folder, cacheFolder, queryDeadlineMs }, watch)
  }
  if (endpoint === null)
    throw new ConfigError('EMBEDDINGS_URL', `${id} needs an embeddings endpoint: set EMBEDDINGS_URL to its base URL.`)
  const model = id.replace(/^openai:/, '')
  return createHttpEmbedder({ ...endpoint, model, dimensions, queryDeadlineMs }, watch)
}
