import { MAX_BYTES } from './scan-unit.js'
import { BodyReader } from './body-reader.js'
import { createAjv } from './schema-keywords.js'

/** A message as JSON-RPC writes it. Its numbers must be exact, since they are written anew for the operation that it calls. */
const MESSAGE = { type: 'object', properties: { params: { type: ['object', 'null'], 'x-exact-numbers': true } } }

/** Returns the reader of messages, which refuses what no operation's body may be: broken JSON, too deep, too many values. */
export function createMessageReader(): BodyReader {
  const schema = { type: 'object', properties: { requestBody: MESSAGE } }
  const check = (allErrors: boolean) => createAjv({ allErrors }).compile(schema)
  const checks = { first: check(false), all: () => check(true) }
  return new BodyReader({ schema: MESSAGE, checks, keepsNulls: true, mostBytes: MAX_BYTES, items: null })
}
