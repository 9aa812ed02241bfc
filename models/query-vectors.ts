import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { UnavailableError } from '../runtime/errors.js'
import type { Embedder } from './embedder.js'

interface QueryVectorsOptions {
  /** Maximum number of cached vectors, evicted least recently used first. Default 5,000: 5 MB at 256 dimensions. */
  readonly max?: number
}

export interface QueryVectors {
  /**
   * Returns the query's unit vector, or zeros. It is shared: do not write to it. Throws `UnavailableError`; a failure
   * is not cached. Callers that request the same text at the same time share one call, which continues until the last
   * of them aborts.
   */
  vectorOf(text: string, signal?: AbortSignal): Promise<Float32Array>
}

interface SharedCall {
  readonly vector: Promise<Float32Array>
  readonly stop: AbortController
  waiting: number
}

/** Creates a cache for one embedder, in memory only; keys are hashes, so that texts of queries are not retained. */
export function createQueryVectors(embedder: Embedder, options: QueryVectorsOptions = {}): QueryVectors {
  const vectors = new LRUCache<string, Float32Array>({ max: options.max ?? 5_000 })
  const calls = new Map<string, SharedCall>()

  function start(key: string, text: string): SharedCall {
    const stop = new AbortController()
    const vector = embedder.embed([text], 'query', stop.signal).then(([first]) => first!)
    const call: SharedCall = { vector, stop, waiting: 0 }
    calls.set(key, call)
    const settled = () => {
      if (calls.get(key) === call) calls.delete(key)
    }
    vector.then((found) => (settled(), vectors.set(key, found)), settled)
    return call
  }

  return {
    async vectorOf(text, signal) {
      if (signal?.aborted) throw new UnavailableError('embedder', signal.reason)
      const key = createHash('sha256').update(text).digest('base64')
      const known = vectors.get(key)
      if (known) return known
      const call = calls.get(key) ?? start(key, text)
      call.waiting++
      return waitFor(call, signal, () => {
        if (--call.waiting > 0) return
        // New callers must not join a call that is being aborted.
        if (calls.get(key) === call) calls.delete(key)
        call.stop.abort()
      })
    },
  }
}

function waitFor(call: SharedCall, signal: AbortSignal | undefined, release: () => void): Promise<Float32Array> {
  if (!signal) return call.vector
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(new UnavailableError('embedder', signal.reason))
      release()
    }
    signal.addEventListener('abort', abort, { once: true })
    call.vector.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
