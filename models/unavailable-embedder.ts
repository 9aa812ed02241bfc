import { UnavailableError } from '../runtime/errors.js'
import type { Embedder } from './embedder.js'

/** Returns an embedder for a model that this process cannot load: everything else works without its vectors. */
export function createUnavailableEmbedder(id: string, dimensions: number, reason: string): Embedder {
  return {
    id,
    dimensions,
    inline: false,
    remote: false,
    nearDuplicateCosine: 1,
    embed: () => Promise.reject(new UnavailableError('embedder', new Error(reason))),
    health: () => ({ available: false, reason }),
    close: () => Promise.resolve(),
  }
}
