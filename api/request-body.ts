import type { IncomingMessage, ServerResponse } from 'node:http'
import { CairnError, InvalidArgumentsError } from '../runtime/errors.js'

export interface BodyLimits {
  readonly bytes: number
  /** From the first look at the body to its last byte. */
  readonly timeoutMs: number
}

/** The caller is gone: there is nobody to answer. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * The body of a route that takes one, as text; empty when there is none. Throws CairnError 415 when it is not JSON in UTF-8,
 * 413 before a byte is read when its length says so, and as soon as it has grown too long, 408 when it is late, 400 when it is
 * not UTF-8, and CallerGoneError.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<string> {
  if (!hasBody(request)) return ''
  requireJson(request)
  const bytes = await readBytes(request, response, limits)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CairnError(400, 'The body is not valid UTF-8.')
  }
}

/** Throws CairnError 400; the parser's message would quote the body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CairnError(400, 'The body is not readable as JSON.')
  }
}

const STRAY_BODY_BYTES = 65_536

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
  if (Number(request.headers['content-length'] ?? 0) > STRAY_BODY_BYTES) throw refusal([''])
  const bytes = await readBytes(request, response, { bytes: STRAY_BODY_BYTES, timeoutMs })
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

function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, timeoutMs }: BodyLimits,
): Promise<Buffer> {
  const tooLarge = () => new CairnError(413, `The body may have at most ${bytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > bytes) return Promise.reject(tooLarge())
  // The caller waits for leave to send; those refused above never get it.
  if (request.headers.expect !== undefined) response.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const late = () => end(new CairnError(408, `The body was not received within ${timeoutMs / 1_000} seconds.`))
    const timer = setTimeout(late, timeoutMs)
    const gone = () => end(new CallerGoneError())
    const done = () => end(null)
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > bytes) end(tooLarge())
      else chunks.push(chunk)
    }
    function end(error: Error | null): void {
      clearTimeout(timer)
      request.off('data', take).off('end', done).off('error', gone).off('close', gone)
      if (!error) return resolve(Buffer.concat(chunks, size))
      request.on('error', () => undefined).pause()
      reject(error)
    }
    request.on('data', take).on('end', done).on('error', gone).on('close', gone)
  })
}
