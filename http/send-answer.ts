import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import type { Answer } from './errors.js'
import { serializedBodyOf } from '../runtime/json.js'
import { hasBody, SMALL_BODY_BYTES } from './request-body.js'

interface SendOptions {
  /** Milliseconds that the rest of an unread body is still received. */
  readonly lingerMs: number
  /** True when the connection is to be closed after this response. */
  readonly closeConnection: boolean
}

/** Sends a complete response. Throws, before anything is sent, when its body cannot be serialised as JSON. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  options: SendOptions,
): void {
  const { text, headers } = contentOf(request, answer.body)
  const isUnread = !request.complete && hasBody(request)
  const lingers = isUnread && text !== null && request.method !== 'HEAD' && !isRestSmall(request, answer)
  if (answer.reason !== undefined) response.statusMessage = answer.reason
  response.writeHead(answer.status, {
    ...(text !== null && {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    }),
    ...headers,
    ...answer.headers,
    ...((options.closeConnection || lingers) && { Connection: 'close' }),
  })
  if (lingers) return sendAndDrain(request, response, text, options.lingerMs)
  response.end(text ?? undefined)
  if (isUnread) drainRest(request, options.lingerMs)
}

interface Content {
  readonly text: string | Buffer | null
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the JSON of a body, compressed where there is a compressed form and the caller takes it. Bytes are sent as they are, with the answer's own type. */
function contentOf(request: IncomingMessage, body: unknown): Content {
  if (body === undefined) return { text: null, headers: {} }
  if (Buffer.isBuffer(body)) return { text: body, headers: {} }
  const serialized = serializedBodyOf(body)
  if (!serialized) return { text: JSON.stringify(body), headers: {} }
  const { json, gzip } = serialized
  if (!gzip) return { text: json, headers: {} }
  const vary = { Vary: 'Accept-Encoding' }
  return takesGzip(request)
    ? { text: gzip, headers: { ...vary, 'Content-Encoding': 'gzip' } }
    : { text: json, headers: vary }
}

/** Reports whether the caller takes an answer that is compressed with gzip, and likes it no less than one that is not. */
export function takesGzip(request: IncomingMessage): boolean {
  // The type that Express gives its requests.
  return (request as Request).acceptsEncodings('gzip', 'identity') === 'gzip'
}

/**
 * Reports whether the rest of an unread body is small and expected to arrive. It is not waited for after 408 and 413; and a caller that
 * sent `Expect: 100-continue` and got this response instead does not send its body, but its next request.
 */
function isRestSmall({ headers }: IncomingMessage, { status }: Answer): boolean {
  if (status === 408 || status === 413 || headers.expect !== undefined) return false
  return Number(headers['content-length'] ?? NaN) <= SMALL_BODY_BYTES
}

/** Lets Node drain the rest of the body before the next request; destroys the connection when the rest does not arrive in time. */
function drainRest(request: IncomingMessage, lingerMs: number): void {
  const timer = setTimeout(() => request.socket.destroy(), lingerMs)
  const settle = () => clearTimeout(timer)
  request.once('end', settle).once('close', settle)
}

/**
 * Sends the whole response at once, then discards what the caller still sends, until it stops or `lingerMs` is over: closing a socket
 * with unread bytes resets it, and the caller would lose the response that says why.
 */
function sendAndDrain(
  request: IncomingMessage,
  response: ServerResponse,
  text: string | Buffer,
  lingerMs: number,
): void {
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, lingerMs)
  request.once('end', finish).once('close', finish).resume()
  response.write(text)
}
