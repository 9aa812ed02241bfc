import { createHash } from 'node:crypto'

/**
 * Returns an embedder's name within index and file names: readable, lower case, and different for every (id,
 * dimensions). Vectors of two models are never stored in one index.
 */
function embedderSlug(embedderId: string, dimensions: number): string {
  const readable = embedderId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '')
  const exact = createHash('sha256').update(`${dimensions}:${embedderId}`).digest('hex').slice(0, 8)
  return `${readable === '' ? 'embedder' : readable}-${exact}`
}

/** Returns the name of one index of an embedder, which ends with its build's `generation`. */
export function indexSlug(embedderId: string, dimensions: number, generation: string): string {
  return `${embedderSlug(embedderId, dimensions)}-${generation}`
}
