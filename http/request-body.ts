import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError, InvalidRequestError } from './errors.js'
import type { Permit } from './limits/fair-admission.js'

interface BodyLimits {
  readonly bytes: number
  /** Milliseconds that reading the whole body may take, without the wait for memory. */
  readonly timeoutMs: number
  /** Reserves body memory; resolves to null where there is no budget. */
  readonly reserve: (bytes: number) => Promise<Permit | null>
}

/** A body as it was received, before parsing. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** The body's memory reservation, released when nothing of the body is needed any more; null for a small body. */
  readonly reservation: Permit | null
}

/**
 * Bytes up to which a body counts as small: about what its request costs anyway. A small body is read without a reservation, and the
 * rest of one that was not read is drained after the response, so that the connection can be reused.
 */
export const SMALL_BODY_BYTES = 65_536

/** A function of its own: an arrow beside others would keep what they close over, the bytes of the body. */
const ignore = () => undefined

/** Thrown when the caller has disconnected: no response can be sent. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Reads the body of a route that takes one; empty when the request has none. A body beyond `SMALL_BODY_BYTES` is read on only after
 * memory for all of it is reserved: its declared length, or the route's limit where it declares none. TCP back-pressure holds the rest
 * back until then, and no request waits for more memory while it holds some. Throws HttpError 415 for anything but JSON in UTF-8, 413
 * before a byte is read when the declared length is too large, or as soon as the body has grown too large, 408 when it is late, what
 * `reserve` throws, and CallerGoneError.
 */
export async function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<ReceivedBody> {
  if (!hasBody(request)) return { bytes: Buffer.alloc(0), reservation: null }
  requireJson(request)
  return receive(request, response, limits)
}

/** Reads the body of a route that takes none: it may be empty or `{}`. Throws 422 for fields, rather than drop them silently. */
export async function refuseBody(request: IncomingMessage, response: ServerResponse, timeoutMs: number): Promise<void> {
  if (!hasBody(request)) return
  const refusal = (names: readonly string[]) =>
    new InvalidRequestError(
      names.map((name) => ({
        loc: ['body', name].filter(Boolean),
        msg: 'This route takes no body.',
        type: 'extra_forbidden',
      })),
    )
  if (declaredBytes(request) > SMALL_BODY_BYTES) throw refusal([''])
  const reserve = () => Promise.resolve(null)
  const { bytes } = await receive(request, response, { bytes: SMALL_BODY_BYTES, timeoutMs, reserve })
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

// No two optional runs of spaces are adjacent: a header full of spaces would take quadratic time.
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?(?:;\s*)?$/i

function requireJson({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new HttpError(415, 'The body must be application/json in UTF-8.')
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpError(415, 'The body must not be compressed.')
  }
}

/** Returns the declared length of the body in bytes; 0 when none is declared. */
function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}

async function receive(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<ReceivedBody> {
  const { bytes: most, timeoutMs, reserve } = limits
  const tooLarge = () => new HttpError(413, `The body may have at most ${most} bytes.`)
  const declared = declaredBytes(request)
  if (declared > most) throw tooLarge()
  let reservation = declared > SMALL_BODY_BYTES ? await reserve(declared) : null
  try {
    // The caller waits for "100 Continue"; those refused above never get it.
    if (request.headers.expect !== undefined) response.writeContinue()
    const reading = new BodyStreamReader(request, timeoutMs)
    let isWhole = await reading.readTo(declared > 0 ? most : Math.min(SMALL_BODY_BYTES, most))
    if (!isWhole && reading.size <= most) {
      reservation = await reserve(most)
      isWhole = await reading.readTo(most)
    }
    if (!isWhole) throw tooLarge()
    reservation?.shrinkTo(reading.size)
    return { bytes: reading.bytes(), reservation }
  } catch (error) {
    reservation?.release()
    throw error
  }
}

/** Reads a body in steps and keeps its chunks. The stream is paused except while `readTo` waits. */
class BodyStreamReader {
  readonly #chunks: Buffer[] = []
  #remainingMs: number
  #ended = false
  size = 0

  constructor(
    private readonly request: IncomingMessage,
    private readonly timeoutMs: number,
  ) {
    this.#remainingMs = timeoutMs
    // Node emits 'end' with the last chunk of data that was buffered before reading began, even when the request was paused there.
    request.on('error', ignore).once('end', () => (this.#ended = true))
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.size)
  }

  /** Resolves to true when the body has ended, to false when it has grown beyond `most` bytes. Throws HttpError 408 and CallerGoneError. */
  readTo(most: number): Promise<boolean> {
    const { request } = this
    if (this.#ended) return Promise.resolve(this.size <= most)
    if (request.destroyed) return Promise.reject(new CallerGoneError())
    const started = performance.now()
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        this.#remainingMs -= performance.now() - started
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
      const late = () => fail(new HttpError(408, `The body was not received within ${this.timeoutMs / 1_000} seconds.`))
      const gone = () => fail(new CallerGoneError())
      const take = (chunk: Buffer) => {
        this.size += chunk.length
        this.#chunks.push(chunk)
        if (this.size <= most) return
        stop()
        request.pause()
        resolve(false)
      }
      const timer = setTimeout(late, Math.max(this.#remainingMs, 1))
      request.on('data', take).on('end', done).on('error', gone).on('close', gone).resume()
    })
  }
}
