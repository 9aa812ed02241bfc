import type { Yielding } from '../domain/yielding.js'
import { UnavailableError } from '../runtime/errors.js'
import { Slices } from '../runtime/slices.js'
import type { Embedder, EmbeddingPurpose } from './embedder.js'
import { englishTable, multilingualTable, type PieceTable } from './piece-table.js'
import multilingualCodes from './multilingual-languages.json' with { type: 'json' }

/** A table of which the first dimensions, at unit length, are a part of the vector, with a share of its squared length. */
interface Part {
  readonly table: PieceTable
  readonly dimensions: number
  readonly share: number
  /** True for the English table. It counts less in a query the fewer of its letters are Latin. */
  readonly isEnglish: boolean
}

interface StaticModel {
  readonly languageCodes: readonly string[]
  /** Shares add up to 1. */
  parts(): Promise<Part[]>
}

const MODELS = {
  'static-en-256': {
    languageCodes: ['en'],
    parts: async () => [{ table: await englishTable(), dimensions: 256, share: 1, isEnglish: true }],
  },
  'static-multi-480': {
    languageCodes: multilingualCodes,
    parts: async () => [
      { table: await englishTable(), dimensions: 256, share: 0.5, isEnglish: true },
      // Two vectors of 480 dimensions have room in a page of SQLite's file, of 512 only one.
      { table: await multilingualTable(), dimensions: 224, share: 0.5, isEnglish: false },
    ],
  },
} satisfies Record<string, StaticModel>

/** Lets 2 of 904,185 pairs of turns of conversations pass (3 by the English table); 99.99 % are below .84. */
const NEAR_DUPLICATE_COSINE = 0.95

/** The model of a new database, unless its operator names another. */
export const BUILT_IN = 'static-multi-480'

/** The models that were so before. Indices with their vectors get others by themselves (store/indexing/index-builds.md). */
export const FORMER_BUILT_IN: readonly string[] = ['static-en-256']

/** The ids of the built-in models by the names that an operator gives. */
export const BUILT_IN_MODELS: ReadonlyMap<string, StaticEmbedderId> = new Map([
  ['builtin', BUILT_IN],
  ['builtin:en', 'static-en-256'],
])

export type StaticEmbedderId = keyof typeof MODELS

export function isStaticEmbedderId(id: string): id is StaticEmbedderId {
  return Object.hasOwn(MODELS, id)
}

/**
 * Creates a built-in embedder: the sum of a text's word piece vectors by each of its tables, at unit length
 * (README.md). Empty and unknown texts have the zero vector. Throws what the loading of a table throws.
 */
export async function createStaticEmbedder(id: StaticEmbedderId = BUILT_IN): Promise<Embedder> {
  const { languageCodes, parts: loadParts } = MODELS[id]
  const parts = await loadParts()
  const dimensions = parts.reduce((sum, part) => sum + part.dimensions, 0)

  function* vectorsOf(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal?: AbortSignal,
  ): Yielding<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      if (signal?.aborted) throw new UnavailableError('embedder', signal.reason)
      vectors.push(joined(purpose === 'query' ? forQuery(parts, text) : parts, text, dimensions))
      yield
    }
    return vectors
  }

  return {
    id,
    dimensions,
    languages: languageCodes.length,
    languageCodes,
    inline: true,
    remote: false,
    nearDuplicateCosine: NEAR_DUPLICATE_COSINE,
    embed: (texts, purpose, signal) => new Slices().run(vectorsOf(texts, purpose, signal)),
    health: () => ({ available: true }),
    close: async () => {},
  }
}

/** A Latin part's weight in the vector of a query that has no Latin letter. */
const LATIN_WEIGHT_ELSEWHERE = 0.2

/**
 * Returns the parts with their shares of a query's vector. In the vector of a Russian question the English half is the same whatever it
 * asks, and only draws it towards some English texts, so that half counts less the more letters are not Latin (README.md).
 */
function forQuery(parts: readonly Part[], text: string): Part[] {
  const letters = text.match(/\p{L}/gu) ?? []
  const others = letters.reduce((count, letter) => (LATIN.test(letter) ? count : count + 1), 0)
  const weight = 1 - (letters.length === 0 ? 0 : ((1 - LATIN_WEIGHT_ELSEWHERE) * others) / letters.length)
  return parts.map((part) => (part.isEnglish ? { ...part, share: part.share * weight ** 2 } : part))
}

const LATIN = /\p{Script=Latin}/u

/**
 * Returns the parts' unit vectors one after the other, each times the root of its share of the sum of those that know
 * something of the text.
 */
function joined(parts: readonly Part[], text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const sums = parts.map(({ table, dimensions, share }) => {
    const all = new Float64Array(table.dimensions)
    table.addRows(table.rowsOf(text), all)
    const sum = all.subarray(0, dimensions)
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
