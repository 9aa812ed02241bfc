import { createHash } from 'node:crypto'

/**
 * Names an embedder within index and file names: readable, lower case, and different for every (id, dimensions). Vectors of
 * two models are never kept in one index.
 */
export function embedderSlug(embedderId: string, dimensions: number): string {
  const readable = embedderId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '')
  const exact = createHash('sha256').update(`${dimensions}:${embedderId}`).digest('hex').slice(0, 8)
  return `${readable === '' ? 'embedder' : readable}-${exact}`
}
