/**
 * Why a model call failed, and what is at fault: `endpoint` opens circuits, `input` is about the request, `none` about
 * neither.
 */
const MODEL_FAILURES = {
  /** No connection, or it broke. */
  unreachable: { retryable: true, fault: 'endpoint' },
  timeout: { retryable: true, fault: 'endpoint' },
  /** 5xx. */
  failing: { retryable: true, fault: 'endpoint' },
  /** 408 and 429: reachable, but asks the client to wait. */
  busy: { retryable: true, fault: 'none' },
  /** Any other status, such as 401 or 404: the settings do not match the endpoint. */
  misconfigured: { retryable: false, fault: 'endpoint' },
  /** 200 with a body that violates the protocol. */
  malformed: { retryable: false, fault: 'endpoint' },
  /** 400, 413 and 422, or a model that declines: this input is not accepted, it may be too long. */
  refused: { retryable: false, fault: 'input' },
  /** A language model's text that does not match the schema, or that its token limit cut off. */
  unfit: { retryable: false, fault: 'input' },
  /** Not sent: the circuit is open. */
  'circuit open': { retryable: false, fault: 'none' },
  /** The caller gave up, or the model was closed. */
  aborted: { retryable: false, fault: 'none' },
} as const
export type ModelFailure = keyof typeof MODEL_FAILURES

/**
 * The error of every failed model call. Its message contains neither texts nor the key nor anything that the endpoint
 * said.
 */
export class ModelCallError extends Error {
  readonly status: number | undefined
  /** The `watched` words that a refusal contains. */
  readonly named: readonly string[]
  /** Milliseconds until the endpoint accepts calls again (`Retry-After`), 0 when it does not say. */
  readonly retryAfterMs: number
  constructor(
    readonly failure: ModelFailure,
    message: string,
    facts: { readonly status?: number; readonly named?: readonly string[]; readonly retryAfterMs?: number } = {},
  ) {
    super(message)
    this.name = 'ModelCallError'
    this.status = facts.status
    this.named = facts.named ?? []
    this.retryAfterMs = facts.retryAfterMs ?? 0
  }
  /** Appears in logs, which do not contain messages. */
  get code(): ModelFailure {
    return this.failure
  }
  get retryable(): boolean {
    return MODEL_FAILURES[this.failure].retryable
  }
  get fault(): 'endpoint' | 'input' | 'none' {
    return MODEL_FAILURES[this.failure].fault
  }
}

/** Returns the `Retry-After` in milliseconds behind an error that a model's caller receives, or 0. */
export function retryAfterOf(error: unknown): number {
  const failure = (error as { cause?: unknown } | null)?.cause
  return failure instanceof ModelCallError ? failure.retryAfterMs : 0
}

export function abortedError(): ModelCallError {
  return new ModelCallError('aborted', 'The call was aborted.')
}

export interface ModelEndpoint {
  /** Name of the endpoint in messages, such as `embeddings endpoint`. */
  readonly what: string
  readonly url: URL
  readonly headers: Headers
  readonly model: string
}

/** Bytes of a refusal's body that are searched for `watched`. */
const REFUSAL_BYTES = 65_536

interface AnswerLimits {
  readonly watched?: readonly string[]
  /** Maximum bytes of an answer, which is `unfit` beyond that. Absent: whatever arrives within the time limit. */
  readonly maxBytes?: number
}

/**
 * Posts a body and returns the parsed body of a 200. Throws only `ModelCallError`; an abort of `signal` is reported as
 * `timeout`. A refusal's `named` lists the words of `watched` that it contains.
 */
export async function postJson(
  endpoint: ModelEndpoint,
  body: object,
  signal: AbortSignal,
  { watched = [], maxBytes = Infinity }: AnswerLimits = {},
): Promise<unknown> {
  let response: Response
  let answer: unknown
  let refusal = ''
  try {
    response = await fetch(endpoint.url, {
      method: 'POST',
      headers: endpoint.headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    if (response.ok) {
      const { text, isWhole } = await readText(response, maxBytes)
      if (!isWhole) throw new ModelCallError('unfit', `The ${endpoint.what}'s answer is longer than ${maxBytes} bytes.`)
      answer = JSON.parse(text)
    } else if (watched.length > 0 && isRefusal(response.status))
      refusal = (await readText(response, REFUSAL_BYTES)).text
    else await response.body?.cancel()
  } catch (error) {
    if (error instanceof ModelCallError) throw error
    throw failureOf(endpoint, error, signal)
  }
  if (response.ok) return answer
  const { status } = response
  throw new ModelCallError(failureOfStatus(status), `The ${endpoint.what} answered ${status}.`, {
    status,
    named: watched.filter((word) => refusal.includes(word)),
    ...(ASKS_FOR_PATIENCE.has(status) && { retryAfterMs: retryAfterMs(response.headers.get('retry-after')) }),
  })
}

const ASKS_FOR_PATIENCE: ReadonlySet<number> = new Set([429, 503])
/** Longest `Retry-After` that is honoured. */
const LONGEST_PATIENCE_MS = 60_000

/** Parses seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), LONGEST_PATIENCE_MS)
}

/** Reads up to and including the chunk that exceeds the limit, and does not wait for the rest. */
async function readText(response: Response, maxBytes: number): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    if (bytes > maxBytes) return { text, isWhole: false }
  }
  return { text: text + decoder.decode(), isWhole: true }
}

export function malformed(endpoint: ModelEndpoint, what: string): ModelCallError {
  return new ModelCallError('malformed', `The ${endpoint.what}'s answer ${what}.`)
}

export function lateError({ what }: Pick<ModelEndpoint, 'what'>): ModelCallError {
  return new ModelCallError('timeout', `The ${what} did not answer in time.`)
}

function failureOf(endpoint: ModelEndpoint, error: unknown, signal: AbortSignal): ModelCallError {
  if (signal.aborted) return lateError(endpoint)
  // A parser's message quotes its input, which may be the texts.
  if (error instanceof SyntaxError) return malformed(endpoint, 'is not JSON')
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  const reason = typeof code === 'string' ? ` (${code})` : ''
  return new ModelCallError('unreachable', `The ${endpoint.what} is not reachable${reason}.`)
}

function failureOfStatus(status: number): ModelFailure {
  if (status === 408 || status === 429) return 'busy'
  if (isRefusal(status)) return 'refused'
  return status >= 500 ? 'failing' : 'misconfigured'
}

function isRefusal(status: number): boolean {
  return status === 400 || status === 413 || status === 422
}
