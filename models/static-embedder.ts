import type { Yielding } from '../domain/yielding.js'
import { UnavailableError } from '../runtime/errors.js'
import { Slices } from '../runtime/slices.js'
import type { Embedder } from './embedder.js'
import { englishTable, multilingualTable, type PieceTable } from './piece-table.js'

const NEAR_DUPLICATE_COSINE = 0.95

/** A table whose unit vector is a part of the embedder's, with a share of its squared length. */
interface Part {
  readonly table: PieceTable
  readonly share: number
}

/** The parts of each built-in embedder by its id. Shares add up to 1. */
const PARTS = {
  'static-en-256': async () => [{ table: await englishTable(), share: 1 }],
  'static-multi-256': async () => [{ table: await multilingualTable(), share: 1 }],
  'static-multi-512': async () => [
    { table: await englishTable(), share: 0.3 },
    { table: await multilingualTable(), share: 0.7 },
  ],
} satisfies Record<string, () => Promise<Part[]>>

/** The ids of the built-in models by the names that an operator gives. */
export const BUILT_IN_MODELS: ReadonlyMap<string, StaticEmbedderId> = new Map([
  ['builtin', 'static-en-256'],
  ['builtin:en', 'static-en-256'],
])

export type StaticEmbedderId = keyof typeof PARTS

export function isStaticEmbedderId(id: string): id is StaticEmbedderId {
  return Object.hasOwn(PARTS, id)
}

/**
 * Creates a built-in embedder: the sum of a text's word piece vectors by each of its tables, at unit length
 * (README.md). Empty and unknown texts have the zero vector. Throws what the loading of a table throws.
 */
export async function createStaticEmbedder(id: StaticEmbedderId = 'static-en-256'): Promise<Embedder> {
  const parts = await PARTS[id]()
  const dimensions = parts.reduce((sum, { table }) => sum + table.dimensions, 0)

  function* vectorsOf(texts: readonly string[], signal?: AbortSignal): Yielding<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      if (signal?.aborted) throw new UnavailableError('embedder', signal.reason)
      vectors.push(joined(parts, text, dimensions))
      yield
    }
    return vectors
  }

  return {
    id,
    dimensions,
    inline: true,
    remote: false,
    nearDuplicateCosine: NEAR_DUPLICATE_COSINE,
    embed: (texts, _purpose, signal) => new Slices().run(vectorsOf(texts, signal)),
    health: () => ({ available: true }),
    close: async () => {},
  }
}

/**
 * Returns the parts' unit vectors one after the other, each times the root of its share. If a part knows nothing of the
 * text, the others have its share.
 */
function joined(parts: readonly Part[], text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const sums = parts.map(({ table, share }) => {
    const sum = new Float64Array(table.dimensions)
    table.addRows(table.rowsOf(text), sum)
    return { sum, share, length: lengthOf(sum) }
  })
  const known = sums.reduce((total, { share, length }) => (length === 0 ? total : total + share), 0)
  let at = 0
  for (const { sum, share, length } of sums) {
    const scale = length === 0 ? 0 : Math.sqrt(share / known) / length
    for (let i = 0; i < sum.length; i++) vector[at + i] = sum[i]! * scale
    at += sum.length
  }
  return vector
}

function lengthOf(vector: Float64Array): number {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!
  return Math.sqrt(squares)
}
