import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createNumberCheck } from '../http/validation/message-reader.js'

/** JSON-RPC's code for parameters that are refused. */
const INVALID_PARAMS = -32602

/**
 * Returns the lines of `input` without the messages with a number that JSON cannot keep, which the SDK would round. `refuse` is called with
 * the answer to each of those. Whatever else is wrong with a message is left to the SDK and to the service.
 */
export function exactMessages(input: Readable, refuse: (answer: object) => void): Readable {
  const faultsOf = createNumberCheck()
  async function* exact(): AsyncGenerator<string> {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const errors = await faultsOf(line)
      if (errors.length === 0) {
        yield `${line}\n`
        continue
      }
      const { id = null } = JSON.parse(line) as { readonly id?: unknown }
      const message = errors.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join(' ')
      refuse({ jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message, data: { errors } } })
    }
  }
  return Readable.from(exact(), { objectMode: false })
}
