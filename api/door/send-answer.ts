import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './errors.js'
import { keptJson } from './kept-json.js'
import { hasBody, SMALL_BODY_BYTES } from './request-body.js'

export interface Sending {
  /** For how long the rest of a refused body is still taken in. */
  readonly lingerMs: number
  /** The connection is closed after this answer. */
  readonly last: boolean
}

/** Sends one answer, whole. Throws, before anything is sent, when its body cannot be turned into JSON. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, sending: Sending): void {
  const text = answer.body === undefined ? null : (keptJson(answer.body) ?? JSON.stringify(answer.body))
  const isUnread = !request.complete && hasBody(request)
  const lingers = isUnread && text !== null && request.method !== 'HEAD' && !isShort(request, answer)
  response.writeHead(answer.status, {
    ...(text !== null && {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    }),
    ...answer.headers,
    ...((sending.last || lingers) && { Connection: 'close' }),
  })
  if (lingers) return lingerOver(request, response, text, sending.lingerMs)
  response.end(text ?? undefined)
  if (isUnread) awaitRest(request, sending.lingerMs)
}

/**
 * Whether the rest of an unread body is small and on its way. After 408 and 413 it is not waited for; and a caller that asked
 * for leave to send it, and got this answer instead, begins its next request there.
 */
function isShort({ headers }: IncomingMessage, { status }: Answer): boolean {
  if (status === 408 || status === 413 || headers.expect !== undefined) return false
  return Number(headers['content-length'] ?? NaN) <= SMALL_BODY_BYTES
}

/** Node takes in what is left and then the next request; a rest that does not come ends the connection. */
function awaitRest(request: IncomingMessage, lingerMs: number): void {
  const timer = setTimeout(() => request.socket.destroy(), lingerMs)
  const settle = () => clearTimeout(timer)
  request.once('end', settle).once('close', settle)
}

/**
 * Sends the whole answer at once, then takes in what the caller still sends, until it stops or `lingerMs` is over: closing a
 * socket that holds unread bytes resets it, and the caller would lose the answer that says why.
 */
function lingerOver(request: IncomingMessage, response: ServerResponse, text: string | Buffer, lingerMs: number): void {
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, lingerMs)
  request.once('end', finish).once('close', finish).resume()
  response.write(text)
}
