import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { answerOfError, HttpError } from '../http/errors.js'
import { createMessageReader } from '../http/validation/message-reader.js'
import { withoutNulls } from './lenient-message.js'
import { refusalOf } from './refusal.js'

type Message = Readonly<Record<string, unknown>>

/**
 * Returns the messages of `input`, a line each, without what is null for absent. `refuse` is called with the answer to each line that `/mcp` would
 * refuse, under its id where it has one: what is no message, which the SDK would drop without a word, and what has a number that JSON cannot
 * keep, which the SDK would round. Left out are blank lines, and answers, since the server asks nothing.
 */
export function readMessageLines(input: Readable, refuse: (answer: object) => void): Readable {
  const reader = createMessageReader()
  async function* messages(): AsyncGenerator<string> {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line.trim() === '') continue
      try {
        const value = (await reader.read(Buffer.from(line))).value as Message
        if (!isAnswer(value)) yield `${JSON.stringify(messageOf(value))}\n`
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        refuse(refusalOf(answerOfError(error, ''), objectIn(line)).body as object)
      }
    }
  }
  return Readable.from(messages(), { objectMode: false })
}

function isAnswer(value: Message): boolean {
  return !('method' in value) && ('result' in value || 'error' in value)
}

/** Throws HttpError for what the SDK does not take. */
function messageOf(value: Message): object {
  try {
    return parseJSONRPCMessage(withoutNulls(value))
  } catch {
    throw new HttpError(422, 'This is no message of JSON-RPC 2.0: no request and no notification.')
  }
}

/** Returns the object that a line is; null for another value, and for what is no JSON. */
function objectIn(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Message | null) : null
  } catch {
    return null
  }
}
