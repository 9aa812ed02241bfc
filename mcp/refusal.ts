import type { Answer } from '../http/errors.js'

/** Codes of JSON-RPC, by status; a refusal of another kind has the first that JSON-RPC leaves to servers. */
const CODES: Readonly<Record<number, number>> = { 400: -32700, 422: -32600, 500: -32603 }
export const REFUSED = -32000

/** Matches what a reason phrase may not hold, or clients leave out of one. */
const NOT_PRINTABLE_ASCII = /[^ -~]+/g
/** Characters of a reason phrase, of which proxies take few. A message that quotes its caller may be longer. */
const LONGEST_REASON = 200

interface Envelope {
  readonly error: { readonly message: string }
}

/**
 * Returns REST's refusal of a message as an error of JSON-RPC, with REST's envelope as its data. Clients parse the body of a status from 400
 * on as such an error and show its message. Some read no body and show the status line alone, so that its reason phrase is the message too. The id
 * is the message's, and null for one that was refused before it was read.
 */
export function refusalOf(answer: Answer, message: Readonly<Record<string, unknown>> | null): Answer {
  const { error } = answer.body as Envelope
  const id = message?.id
  const body = {
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: CODES[answer.status] ?? REFUSED, message: error.message, data: answer.body },
  }
  return { ...answer, body, reason: error.message.replace(NOT_PRINTABLE_ASCII, ' ').slice(0, LONGEST_REASON) }
}
