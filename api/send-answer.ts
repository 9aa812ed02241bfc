import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './errors.js'
import { hasBody } from './request-body.js'

export interface Sending {
  /** For how long the rest of a refused body is still taken in. */
  readonly lingerMs: number
  /** The connection is closed after this answer. */
  readonly last: boolean
}

/** What of an unread body node may take in by itself, so that the connection can be used again. */
const SMALL_BODY_BYTES = 65_536

/** Sends one answer, whole. Throws, before anything is sent, when its body cannot be turned into JSON. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, sending: Sending): void {
  const text = answer.body === undefined ? null : JSON.stringify(answer.body)
  const lingers = text !== null && isUnread(request)
  response.writeHead(answer.status, {
    ...(text !== null && {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    }),
    ...answer.headers,
    ...((sending.last || lingers) && { Connection: 'close' }),
  })
  if (!lingers || request.method === 'HEAD') response.end(text ?? undefined)
  else lingerOver(request, response, text, sending.lingerMs)
}

/** A body that was not read to its end and is too large, or of unknown size, to be passed over. */
function isUnread(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false
  return !(Number(request.headers['content-length'] ?? NaN) <= SMALL_BODY_BYTES)
}

/**
 * Sends the whole answer at once, then takes in what the caller still sends, until it stops or `lingerMs` is over: closing a
 * socket that holds unread bytes resets it, and the caller would lose the answer that says why.
 */
function lingerOver(request: IncomingMessage, response: ServerResponse, text: string, lingerMs: number): void {
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, lingerMs)
  request.once('end', finish).once('close', finish).resume()
  response.write(text)
}
