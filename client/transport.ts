import { AnswerError, ConnectionError, RedirectError, serviceError, TimeoutError } from './errors.js'

export interface Transport {
  /** Address of the service, without a slash at its end. */
  readonly url: string
  readonly apiKey: string
  readonly maxAnswerBytes: number
}

interface HttpRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined for an answer without a body; bytes for one that is no JSON by its type. */
  readonly body: unknown
}

/** Sends a request once. Throws a CairnError for anything but a success or 304, and the signal's reason when it is aborted. */
export async function send(transport: Transport, request: HttpRequest): Promise<HttpAnswer> {
  const { method, target, headers, body, timeoutMs, signal } = request
  signal?.throwIfAborted()
  // AbortSignal.any would keep a listener on a signal for as long as that lives (Node 20).
  const stop = new AbortController()
  const late = new TimeoutError(`The service has not answered within ${timeoutMs} ms.`)
  const timer = setTimeout(() => stop.abort(late), Math.min(timeoutMs, LONGEST_TIMER_MS))
  const onAbort = () => stop.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  try {
    const response = await fetch(transport.url + target, {
      method,
      redirect: 'manual',
      signal: stop.signal,
      headers: { ...headers, 'X-API-Key': transport.apiKey, ...(body !== undefined && { 'Content-Type': JSON_TYPE }) },
      ...(body !== undefined && { body }),
    })
    refuseRedirect(transport, response)
    const bytes = await readBytes(response, transport.maxAnswerBytes)
    if (response.ok && response.headers.get('content-type') === BYTES_TYPE)
      return { status: response.status, headers: response.headers, body: bytes }
    const text = new TextDecoder().decode(bytes)
    const answer = parse(text)
    if (response.status >= 400) throw serviceError(response, answer === NOT_JSON ? text : answer)
    if (answer === NOT_JSON) throw new AnswerError(`The answer of ${transport.url} (${response.status}) is not JSON.`)
    if (answer === undefined && !BODILESS.has(response.status))
      throw new AnswerError(`The answer of ${transport.url} (${response.status}) is empty.`)
    return { status: response.status, headers: response.headers, body: answer }
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason
    // Both name every failure of the network so, and the reading of a body that breaks off.
    if (error instanceof TypeError) throw connectionError(transport, error)
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Timers of Node and of browsers end at once when they are given more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'

/** Following a redirect would send the key to wherever it points. */
function refuseRedirect({ url }: Transport, { status, type, headers, body }: Response): void {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
  if (!isRedirect) return
  void body?.cancel().catch(() => undefined)
  const location = headers.get('location')
  const target = location ?? 'another address'
  throw new RedirectError(
    `${url} redirects to ${target} (${status}), and the client sends its key to no other address.`,
    location,
  )
}

async function readBytes(response: Response, most: number): Promise<Uint8Array> {
  if (!response.body) return new Uint8Array()
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, length)
    length += value.byteLength
    if (length > most) {
      await reader.cancel().catch(() => undefined)
      throw new AnswerError(`The answer is longer than ${most} bytes.`)
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

const NOT_JSON = Symbol('not JSON')

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return NOT_JSON
  }
}

/** Codes of Node for a connection that was never made. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

function connectionError({ url }: Transport, error: TypeError): ConnectionError {
  const cause = error.cause as { readonly code?: string; readonly message?: string } | undefined
  const why = cause?.code ?? cause?.message ?? error.message
  return new ConnectionError(`no service answers at ${url} (${why}).`, UNSENT.has(cause?.code), { cause: error })
}
