import { type FieldError, InvalidRequestError } from '../errors.js'
import { BodyReader } from './body-reader.js'
import { NUMBER_FAULTS } from './scan-unit.js'
import { createAjv } from './schema-keywords.js'

/** A message as JSON-RPC writes it. Its numbers must be exact, since they are written anew for the operation that it calls. */
const MESSAGE = { type: 'object', properties: { params: { type: ['object', 'null'], 'x-exact-numbers': true } } }

/** Returns the reader of messages, which refuses what no operation's body may be: broken JSON, too deep, too many values. */
export function createMessageReader(): BodyReader {
  const schema = { type: 'object', properties: { requestBody: MESSAGE } }
  const check = (allErrors: boolean) => createAjv({ allErrors }).compile(schema)
  const checks = { first: check(false), all: () => check(true) }
  return new BodyReader({ schema: MESSAGE, checks, keepsNulls: true, items: null })
}

const NUMBER_FAULT_TYPES: readonly string[] = Object.values(NUMBER_FAULTS).map(({ type }) => type)

/** Returns a function from a message to the faults of its numbers that JSON cannot keep. Says nothing of what else is wrong with it. */
export function createNumberCheck(): (message: string) => Promise<readonly FieldError[]> {
  const reader = createMessageReader()
  return async (message) => {
    const failure = await reader.read(Buffer.from(message)).then(
      () => null,
      (error: unknown) => error,
    )
    const faults = failure instanceof InvalidRequestError ? failure.errors : []
    return faults.filter(({ type }) => NUMBER_FAULT_TYPES.includes(type))
  }
}
