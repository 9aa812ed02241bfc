import type { components } from '../contract/types.js'
import type { Embedder } from '../models/embedder.js'

/** Returns the contract's description of the embedding model. */
export function presentEmbedder({
  id,
  languages,
  languageCodes,
}: Pick<Embedder, 'id' | 'languages' | 'languageCodes'>): components['schemas']['EmbeddingModel'] {
  return { id, languages: languages ?? null, language_codes: languageCodes ? [...languageCodes] : null }
}
