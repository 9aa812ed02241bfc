import { createHash } from 'node:crypto'

/**
 * Names an embedder within index and file names: readable, lower case, and different for every (id, dimensions). Vectors of
 * two models are never kept in one index.
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

/**
 * Names one index among those of an embedder: the first one of a database has the embedder's name alone, each later one its build's
 * `generation` too.
 */
export function indexSlug(embedderId: string, dimensions: number, generation = ''): string {
  const slug = embedderSlug(embedderId, dimensions)
  return generation === '' ? slug : `${slug}-${generation}`
}
