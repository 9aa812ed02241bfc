/** Why a call brought no vectors; the key says whose fault it is. */
export const EMBEDDING_FAILURES = {
  /** No connection, or it broke. */
  unreachable: { retryable: true, endpointFault: true },
  timeout: { retryable: true, endpointFault: true },
  /** 5xx. */
  failing: { retryable: true, endpointFault: true },
  /** 408 and 429: alive, but asks for patience. */
  busy: { retryable: true, endpointFault: false },
  /** Any other status, such as 401 or 404: settings and endpoint do not fit together. */
  misconfigured: { retryable: false, endpointFault: true },
  /** 200 with something else than one vector of the right size for each text. */
  malformed: { retryable: false, endpointFault: true },
  /** 400, 413 and 422: the endpoint does not take these texts, one of them may be too long. */
  refused: { retryable: false, endpointFault: false },
  /** Not sent: the circuit is open. */
  'circuit open': { retryable: false, endpointFault: false },
  /** The caller gave up, or the embedder was closed. */
  aborted: { retryable: false, endpointFault: false },
} as const
export type EmbeddingFailure = keyof typeof EMBEDDING_FAILURES

/** The cause within an `UnavailableError`. Its message holds neither texts nor key nor anything that the endpoint said. */
export class EmbeddingCallError extends Error {
  constructor(
    readonly failure: EmbeddingFailure,
    message: string,
    readonly status?: number,
  ) {
    super(message)
    this.name = 'EmbeddingCallError'
  }
  get retryable(): boolean {
    return EMBEDDING_FAILURES[this.failure].retryable
  }
  get endpointFault(): boolean {
    return EMBEDDING_FAILURES[this.failure].endpointFault
  }
}

export function abortedError(): EmbeddingCallError {
  return new EmbeddingCallError('aborted', 'The embedding is no longer wanted.')
}

export interface EmbeddingsEndpoint {
  readonly url: URL
  readonly headers: Headers
  readonly model: string
}

/**
 * One call of the OpenAI-compatible `POST /embeddings`: unit vectors in the order of the texts. Without `dimensions` any
 * size is taken, the same for all. Throws `EmbeddingCallError` and nothing else; an abort of `signal` reads as `timeout`.
 */
export async function callEmbeddings(
  endpoint: EmbeddingsEndpoint,
  texts: readonly string[],
  dimensions: number | undefined,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  let response: Response
  let body: unknown
  try {
    response = await fetch(endpoint.url, {
      method: 'POST',
      headers: endpoint.headers,
      body: JSON.stringify({ model: endpoint.model, input: texts, encoding_format: 'float' }),
      redirect: 'manual',
      signal,
    })
    if (response.ok) body = await response.json()
    else await response.body?.cancel()
  } catch (error) {
    throw failureOf(error, signal)
  }
  if (!response.ok) throw failureOfStatus(response.status)
  return vectorsOf(body, texts.length, dimensions)
}

function failureOf(error: unknown, signal: AbortSignal): EmbeddingCallError {
  if (signal.aborted) return new EmbeddingCallError('timeout', 'The embeddings endpoint did not answer in time.')
  // A parser's message quotes what it read, which may be the texts.
  if (error instanceof SyntaxError) return malformed('is not JSON')
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  const reason = typeof code === 'string' ? ` (${code})` : ''
  return new EmbeddingCallError('unreachable', `The embeddings endpoint is not reachable${reason}.`)
}

function failureOfStatus(status: number): EmbeddingCallError {
  const failure =
    status === 408 || status === 429
      ? 'busy'
      : status === 400 || status === 413 || status === 422
        ? 'refused'
        : status >= 500
          ? 'failing'
          : 'misconfigured'
  return new EmbeddingCallError(failure, `The embeddings endpoint answered ${status}.`, status)
}

function malformed(what: string): EmbeddingCallError {
  return new EmbeddingCallError('malformed', `The embeddings endpoint's answer ${what}.`)
}

/** Puts every vector in the place that its `index` names: the order of the list is no promise of the protocol. */
function vectorsOf(body: unknown, count: number, dimensions: number | undefined): Float32Array[] {
  const entries = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(entries)) throw malformed('has no list `data`')
  if (entries.length !== count) throw malformed(`has ${entries.length} vectors for ${count} texts`)
  const vectors = new Array<Float32Array | undefined>(count)
  let expected = dimensions
  for (const entry of entries as ({ index?: unknown; embedding?: unknown } | null)[]) {
    const index = entry?.index
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= count) {
      throw malformed('has a vector without a valid `index`')
    }
    if (vectors[index as number]) throw malformed('has two vectors of one `index`')
    const vector = unitVector(entry!.embedding)
    expected ??= vector.length
    if (vector.length !== expected) throw malformed(`has ${vector.length} dimensions instead of ${expected}`)
    vectors[index as number] = vector
  }
  return vectors as Float32Array[]
}

function unitVector(numbers: unknown): Float32Array {
  if (!Array.isArray(numbers) || numbers.length === 0)
    throw malformed('has an `embedding` that is not a list of numbers')
  let squares = 0
  for (const number of numbers as number[]) {
    if (!Number.isFinite(number)) throw malformed('has an `embedding` that is not a list of numbers')
    squares += number ** 2
  }
  const length = Math.sqrt(squares) || 1
  return Float32Array.from(numbers as number[], (number) => number / length)
}
