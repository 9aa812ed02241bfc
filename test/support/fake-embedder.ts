import { UnavailableError } from '../../runtime/errors.js'
import type { Embedder } from '../../models/embedder.js'
import { stubVector } from './embeddings-stub.js'

export interface FakeEmbedder extends Embedder {
  isAway: boolean
  /** A text that is refused, together with all other texts of the same call. */
  poison: string | null
  /** Every text that was embedded, in order. */
  readonly texts: string[]
}

/** Creates an embedder whose outages and refusals a test controls; remote unless told otherwise. */
export function createFakeEmbedder({ inline = false, id = 'fake-embedder' } = {}): FakeEmbedder {
  const embedder: FakeEmbedder = {
    id,
    dimensions: 64,
    inline,
    remote: !inline,
    nearDuplicateCosine: 0.95,
    isAway: false,
    poison: null,
    texts: [],
    embed(texts) {
      embedder.texts.push(...texts)
      if (embedder.isAway) return Promise.reject(new UnavailableError('embedder'))
      if (texts.some((text) => text === embedder.poison)) return Promise.reject(new RangeError('bad text'))
      return Promise.resolve(texts.map((text) => unit(Float32Array.from(stubVector(text, 64)))))
    },
    health: () => ({ available: !embedder.isAway }),
    close: () => Promise.resolve(),
  }
  return embedder
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
