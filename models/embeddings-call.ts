import { malformed, postJson, type ModelEndpoint } from './model-call.js'

/**
 * Makes one call of the OpenAI-compatible `POST /embeddings` and returns unit vectors in the order of the texts.
 * Without `dimensions` any size is accepted, the same for all. Throws only `ModelCallError`; an abort of `signal` is
 * reported as `timeout`.
 */
export async function callEmbeddings(
  endpoint: ModelEndpoint,
  texts: readonly string[],
  dimensions: number | undefined,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const body = await postJson(endpoint, { model: endpoint.model, input: texts, encoding_format: 'float' }, signal)
  return vectorsOf(endpoint, body, texts.length, dimensions)
}

/** Places every vector at its `index`: the protocol does not guarantee the order of the list. */
function vectorsOf(
  endpoint: ModelEndpoint,
  body: unknown,
  count: number,
  dimensions: number | undefined,
): Float32Array[] {
  const entries = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(entries)) throw malformed(endpoint, 'has no list `data`')
  if (entries.length !== count) throw malformed(endpoint, `has ${entries.length} vectors for ${count} texts`)
  const vectors = new Array<Float32Array | undefined>(count)
  let expected = dimensions
  for (const entry of entries as ({ index?: unknown; embedding?: unknown } | null)[]) {
    const index = entry?.index
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= count)
      throw malformed(endpoint, 'has a vector without a valid `index`')
    if (vectors[index as number]) throw malformed(endpoint, 'has two vectors of one `index`')
    const vector = unitVector(entry!.embedding)
    if (vector === null) throw malformed(endpoint, 'has an `embedding` that is not a list of numbers')
    expected ??= vector.length
    if (vector.length !== expected) throw malformed(endpoint, `has ${vector.length} dimensions instead of ${expected}`)
    vectors[index as number] = vector
  }
  return vectors as Float32Array[]
}

/** Returns the unit vector, or null for anything but numbers. */
function unitVector(numbers: unknown): Float32Array | null {
  if (!Array.isArray(numbers) || numbers.length === 0) return null
  let squares = 0
  for (const number of numbers as number[]) {
    if (!Number.isFinite(number)) return null
    squares += number ** 2
  }
  const length = Math.sqrt(squares) || 1
  return Float32Array.from(numbers as number[], (number) => number / length)
}
