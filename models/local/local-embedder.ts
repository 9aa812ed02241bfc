import { Worker } from 'node:worker_threads'
import { ConfigError, UnavailableError } from '../../runtime/errors.js'
import type { Embedder, EmbeddingPurpose } from '../embedder.js'
import type { LocalModel, ThreadReply } from './protocol.js'

export interface LocalEmbedderSettings {
  readonly name: string
  readonly folder?: string | null
  readonly cacheFolder?: string | null
  /** Default: @huggingface/transformers. */
  readonly library?: string
}

/** Texts of passages that a query may have to wait for: some 10 ms each. */
const SLICE = 4
const LIBRARY = '@huggingface/transformers'

interface Task {
  readonly texts: readonly string[]
  readonly signal: AbortSignal | undefined
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * A transformer in this process, id `local:<name>`: mean pooling, unit vectors, 8-bit weights, in a thread of its own, queries
 * before passages. The library is an optional peer dependency. Texts of white space only have the zero vector. Throws
 * ConfigError when library or model are not to be had.
 */
export async function createLocalEmbedder(settings: LocalEmbedderSettings): Promise<Embedder> {
  const { name, folder = null, cacheFolder = null, library = LIBRARY } = settings
  const model: LocalModel = { name, folder, cacheFolder, library }
  const waiting: Record<EmbeddingPurpose, Task[]> = { query: [], passage: [] }
  let running: Task | undefined
  let isClosed = false
  let thread: Worker | null
  const started = await startThread(model)
  const { dimensions } = started
  thread = watch(started.thread)

  function watch(worker: Worker): Worker {
    worker.on('message', (reply: ThreadReply) => {
      const task = running
      running = undefined
      if (reply.kind === 'embedded') task?.resolve(reply.vectors)
      else if (reply.kind === 'failed') task?.reject(new UnavailableError('embedder', new Error(reply.reason)))
      next()
    })
    const died = () => {
      if (thread !== worker) return
      thread = null
      running?.reject(new UnavailableError('embedder', new Error('the thread of the local model ended')))
      running = undefined
      if (!isClosed) void startThread(model).then(({ thread: another }) => ((thread = watch(another)), next()), failAll)
    }
    worker.on('error', died)
    worker.on('exit', died)
    return worker
  }

  function failAll(cause: unknown): void {
    for (const task of [...waiting.query.splice(0), ...waiting.passage.splice(0)])
      task.reject(new UnavailableError('embedder', cause))
  }

  function next(): void {
    if (running || thread === null) return
    running = waiting.query.shift() ?? waiting.passage.shift()
    if (running?.signal?.aborted) {
      running.reject(new UnavailableError('embedder', running.signal.reason))
      running = undefined
      return next()
    }
    if (running) thread.postMessage(running.texts)
  }

  function embedSlice(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal | undefined) {
    return new Promise<readonly Float32Array[]>((resolve, reject) => {
      if (isClosed) return reject(new UnavailableError('embedder', new Error('closed')))
      waiting[purpose].push({ texts, signal, resolve, reject })
      next()
    })
  }

  return {
    id: `local:${name}`,
    dimensions,
    inline: false,
    nearDuplicateCosine: 0.95,
    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
      const places = [...texts.keys()].filter((place) => texts[place]!.trim() !== '')
      for (let from = 0; from < places.length; from += SLICE) {
        const slice = places.slice(from, from + SLICE)
        const answer = await embedSlice(
          slice.map((place) => texts[place]!),
          purpose,
          signal,
        )
        slice.forEach((place, i) => (vectors[place] = answer[i]!))
      }
      return vectors
    },
    health: () =>
      thread === null ? { available: false, reason: 'the local model is not loaded' } : { available: true },
    async close() {
      isClosed = true
      failAll(new Error('closed'))
      await thread?.terminate()
    },
  }
}

function startThread(model: LocalModel): Promise<{ thread: Worker; dimensions: number }> {
  // Compiled in dist/, or TypeScript: Node 20 takes no loader for a thread's first file, so that one is plain JavaScript.
  const file = import.meta.url.endsWith('.js') ? './thread.js' : './thread-from-source.mjs'
  const thread = new Worker(new URL(file, import.meta.url), { workerData: model })
  return new Promise((resolve, reject) => {
    thread.once('error', reject)
    thread.once('message', (reply: ThreadReply) => {
      if (reply.kind === 'ready') {
        thread.off('error', reject)
        return resolve({ thread, dimensions: reply.dimensions })
      }
      void thread.terminate()
      reject(new ConfigError('EMBEDDINGS_MODEL', adviceFor(model, reply)))
    })
  })
}

function adviceFor({ name, folder, library }: LocalModel, reply: ThreadReply): string {
  if (reply.kind === 'unusable' && reply.isLibraryMissing)
    return `local:${name} needs ${library}, which is not installed: ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save ${library}`
  const where = folder === null ? 'from the hub' : 'from EMBEDDINGS_FOLDER'
  return `local:${name} cannot be loaded ${where} (${reply.kind === 'unusable' ? reply.reason : reply.kind}).`
}
