import type { Answer } from '../http/errors.js'

/** Codes of JSON-RPC, by status; a refusal of another kind has the first that JSON-RPC leaves to servers. */
const CODES: Readonly<Record<number, number>> = { 400: -32700, 422: -32600, 500: -32603 }
const REFUSED = -32000

interface Envelope {
  readonly error: { readonly message: string }
}

/**
 * Returns REST's refusal of a message as an error of JSON-RPC, with REST's envelope as its data. Clients parse the body of a status from 400
 * on as such an error and show its message, or nothing. The id is the message's, and null for one that was refused before it was read.
 */
export function refusalOf(answer: Answer, message: Readonly<Record<string, unknown>> | null): Answer {
  const { error } = answer.body as Envelope
  const id = message?.id
  const body = {
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: CODES[answer.status] ?? REFUSED, message: error.message, data: answer.body },
  }
  return { ...answer, body }
}
