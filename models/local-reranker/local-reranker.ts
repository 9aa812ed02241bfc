import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, UnavailableError } from '../../runtime/errors.js'
import type { ClientLog } from '../../runtime/logger.js'
import { createCallLanes, retrySettings, type ObserveCall, type RetrySettings } from '../call-lanes.js'
import { lateError, ModelCallError } from '../model-call.js'
import { logistic, type Reranker } from '../reranker.js'
import { needsLibrary, startModelThread, UnusableModelError, type ModelThread } from '../model-thread.js'
import type { LocalClassifier, RerankRequest } from './thread.js'

export interface LocalRerankerSettings extends Partial<Omit<RetrySettings, 'retries'>> {
  /** A folder on this machine, or a name on the hub, of a sequence classifier of pairs with ONNX weights. */
  readonly model: string
  /** Folder in which downloads from the hub are cached. */
  readonly cacheFolder?: string | null
  /** Milliseconds for a call, including waiting. Default 300. */
  readonly deadlineMs?: number
  /** Default: @huggingface/transformers. */
  readonly library?: string
}

interface LocalRerankerOptions {
  readonly log?: ClientLog
  readonly observeCall?: ObserveCall | undefined
}

type Classifier = ModelThread<RerankRequest, readonly number[], null>

const LIBRARY = '@huggingface/transformers'
const MODEL_NAME = 'local reranker'
/** Texts per run: a run cannot be aborted, and texts of similar length need less padding. */
const SLICE_SIZE = 4

/**
 * Creates a cross-encoder in a thread of this process, by @huggingface/transformers (an optional peer dependency) with
 * 8-bit weights, with the id `rerank:local:<model>`. One call at a time: two would not be faster. A call past its
 * deadline ends after its slice. `rerank` throws only `UnavailableError`. Throws `ConfigError` when the library or the
 * model is not available.
 */
export async function createLocalReranker(
  settings: LocalRerankerSettings,
  { log, observeCall }: LocalRerankerOptions = {},
): Promise<Reranker> {
  const { model, deadlineMs = 300 } = settings
  const classifier = await loadClassifier(settings)
  const lanes = createCallLanes<'recall'>(
    { concurrency: 1, reserved: 0, timeoutMs: deadlineMs, ...retrySettings({ ...settings, retries: 0 }) },
    {
      what: MODEL_NAME,
      name: MODEL_NAME,
      lanes: ['recall'],
      probe: (signal) => scoreInSlices(classifier, 'ping', ['ping'], signal),
      observeCall,
      ...(log && { log }),
    },
  )

  return {
    id: `rerank:local:${model}`,
    remote: false,
    async rerank(query, texts, signal) {
      try {
        return await lanes.call('recall', (limit) => scoreInSlices(classifier, query, texts, limit), {
          withinMs: deadlineMs,
          ...(signal && { signal }),
        })
      } catch (error) {
        if (!(error instanceof ModelCallError)) throw error
        throw new UnavailableError('reranker', error)
      }
    },
    health: () => lanes.health(),
    close() {
      lanes.close()
      return classifier.close()
    },
  }
}

async function loadClassifier({
  model,
  cacheFolder = null,
  library = LIBRARY,
}: LocalRerankerSettings): Promise<Classifier> {
  const folder = resolve(model)
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  try {
    const started: LocalClassifier = { place: isFolder ? folder : model, isFolder, cacheFolder, library }
    return await startModelThread({ what: MODEL_NAME, file: new URL('./thread', import.meta.url), model: started })
  } catch (error) {
    if (!(error instanceof UnusableModelError)) throw error
    throw new ConfigError(
      'RERANK_MODEL',
      error.isLibraryMissing
        ? needsLibrary(model, library)
        : `local:${model} cannot be loaded from ${isFolder ? 'its folder' : 'the hub'} (${error.message}).`,
    )
  }
}

async function scoreInSlices(
  classifier: Classifier,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const byLength = [...texts.keys()].sort((a, b) => texts[a]!.length - texts[b]!.length)
  const scores = new Array<number>(texts.length)
  for (let next = 0; next < byLength.length; next += SLICE_SIZE) {
    if (signal.aborted) throw lateError({ what: MODEL_NAME })
    const places = byLength.slice(next, next + SLICE_SIZE)
    const logits = await classifier.ask({ query, texts: places.map((place) => texts[place]!) })
    if (!logits.every(Number.isFinite))
      throw new ModelCallError('malformed', `The ${MODEL_NAME}'s answer is not one score a text.`)
    places.forEach((place, i) => (scores[place] = logistic(logits[i]!)))
  }
  if (signal.aborted) throw lateError({ what: MODEL_NAME })
  return scores
}
