import type { IncomingMessage, ServerResponse } from 'node:http'
import { CairnError, InvalidArgumentsError } from '../../runtime/errors.js'
import type { Place } from '../limits/fair-admission.js'

export interface BodyLimits {
  readonly bytes: number
  /** From the first look at the body to its last byte, the wait for its room left out. */
  readonly timeoutMs: number
  /** Room in memory for so many bytes; null where nothing bounds it. */
  readonly takeRoom: (bytes: number) => Promise<Place | null>
}

/** A body as it came. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** To be left when nothing of the body is needed any more; null of a small one. */
  readonly room: Place | null
}

/**
 * A body of this size is about what its request costs anyway: it is read without asking for room, and what of an unread one is left
 * is taken in after the answer, so that the connection can be used again.
 */
export const SMALL_BODY_BYTES = 65_536

/** The caller is gone: there is nobody to answer. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * The body of a route that takes one; empty when there is none. What is beyond `SMALL_BODY_BYTES` is read when there is room for the
 * whole: for its length, or where none is said for as much as the route takes; the caller's connection holds the rest back until
 * then. So nobody who holds room waits for more of it. Throws CairnError 415 when it is not JSON in UTF-8, 413 before a byte is read
 * when its length says so, and as soon as it has grown too long, 408 when it is late, what `takeRoom` throws, and CallerGoneError.
 */
export async function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<ReceivedBody> {
  if (!hasBody(request)) return { bytes: Buffer.alloc(0), room: null }
  requireJson(request)
  return receive(request, response, limits)
}

/** On a route without a body an empty one may come, or `{}`; fields would be dropped without a word. Throws 422 for them. */
export async function refuseBody(request: IncomingMessage, response: ServerResponse, timeoutMs: number): Promise<void> {
  if (!hasBody(request)) return
  const refusal = (names: readonly string[]) =>
    new InvalidArgumentsError(
      names.map((name) => ({
        loc: ['body', name].filter(Boolean),
        msg: 'This route takes no body.',
        type: 'extra_forbidden',
      })),
    )
  if (declaredBytes(request) > SMALL_BODY_BYTES) throw refusal([''])
  const takeRoom = () => Promise.resolve(null)
  const { bytes } = await receive(request, response, { bytes: SMALL_BODY_BYTES, timeoutMs, takeRoom })
  const text = bytes.toString().trim()
  if (text === '') return
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw refusal([''])
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const names = isObject ? Object.keys(body as object).slice(0, 100) : ['']
  if (names.length > 0) throw refusal(names)
}

// No two optional runs of spaces stand side by side: a header full of them would cost its square.
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?(?:;\s*)?$/i

function requireJson({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new CairnError(415, 'The body must be application/json in UTF-8.')
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new CairnError(415, 'The body must not be compressed.')
  }
}

/** 0 where none is said. */
function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}

async function receive(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<ReceivedBody> {
  const { bytes: most, timeoutMs, takeRoom } = limits
  const tooLarge = () => new CairnError(413, `The body may have at most ${most} bytes.`)
  const declared = declaredBytes(request)
  if (declared > most) throw tooLarge()
  let room = declared > SMALL_BODY_BYTES ? await takeRoom(declared) : null
  try {
    // The caller waits for leave to send; those refused above never get it.
    if (request.headers.expect !== undefined) response.writeContinue()
    const reading = new BodyReading(request, timeoutMs)
    let isWhole = await reading.readTo(declared > 0 ? most : Math.min(SMALL_BODY_BYTES, most))
    if (!isWhole && reading.size <= most) {
      room = await takeRoom(most)
      isWhole = await reading.readTo(most)
    }
    if (!isWhole) throw tooLarge()
    room?.keep(reading.size)
    return { bytes: reading.bytes(), room }
  } catch (error) {
    room?.leave()
    throw error
  }
}

/** What of a body has come; nothing more is taken in but while `readTo` waits for it. */
class BodyReading {
  readonly #chunks: Buffer[] = []
  #leftMs: number
  #ended = false
  size = 0

  constructor(
    private readonly request: IncomingMessage,
    private readonly timeoutMs: number,
  ) {
    this.#leftMs = timeoutMs
    // Of what came before anybody looked, the end is told with the last chunk, even of a request that was paused there.
    request.on('error', () => undefined).once('end', () => (this.#ended = true))
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.size)
  }

  /** Whether the body ended; if not, it has grown beyond `most`. Throws CairnError 408 and CallerGoneError. */
  readTo(most: number): Promise<boolean> {
    const { request } = this
    if (this.#ended) return Promise.resolve(this.size <= most)
    if (request.destroyed) return Promise.reject(new CallerGoneError())
    const started = performance.now()
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        this.#leftMs -= performance.now() - started
        request.off('data', take).off('end', done).off('error', gone).off('close', gone)
      }
      const done = () => {
        stop()
        resolve(true)
      }
      const fail = (error: Error) => {
        stop()
        request.pause()
        reject(error)
      }
      const late = () =>
        fail(new CairnError(408, `The body was not received within ${this.timeoutMs / 1_000} seconds.`))
      const gone = () => fail(new CallerGoneError())
      const take = (chunk: Buffer) => {
        this.size += chunk.length
        this.#chunks.push(chunk)
        if (this.size <= most) return
        stop()
        request.pause()
        resolve(false)
      }
      const timer = setTimeout(late, Math.max(this.#leftMs, 1))
      request.on('data', take).on('end', done).on('error', gone).on('close', gone).resume()
    })
  }
}
