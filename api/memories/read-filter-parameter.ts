import type { FilterExpression } from '../../domain/filters/expression.js'
import type { Principal } from '../../domain/principal.js'
import { runToEnd } from '../../domain/yielding.js'
import { type FieldError, InvalidRequestError } from '../../http/errors.js'
import { JsonScanner } from '../../http/validation/json-scanner.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { readMemoryFilter } from '../../services/retrieval/filters.js'

/** Reads a list's filter on memories, which is JSON in a parameter. Throws as `readMemoryFilter`, with the place in the query. */
export function readFilterParameter(principal: Principal, text: string | undefined): FilterExpression | undefined {
  if (text === undefined) return undefined
  try {
    return readMemoryFilter(principal, parsed(text), ['filter'])
  } catch (error) {
    if (!(error instanceof InvalidArgumentsError)) throw error
    throw new InvalidRequestError(error.faults.map(({ path, ...fault }) => ({ loc: ['query', ...path], ...fault })))
  }
}

const RULES = { fields: new Map([['filter', { maxBytes: null, exactNumbers: true }]]), list: null, mostBytes: Infinity }

/** Parses JSON as strictly as a body. */
function parsed(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const fault = { msg: 'Must be a filter as JSON, such as {"metadata.ticket":"OPS-12"}.', type: 'json_invalid' }
    throw new InvalidRequestError([{ loc: ['query', 'filter'], ...fault }])
  }
  const scan = runToEnd(new JsonScanner(Buffer.from(`{"filter":${text}}`), RULES).scan())
  const faults: readonly FieldError[] = scan?.body.faults ?? []
  if (faults.length > 0)
    throw new InvalidRequestError(faults.map(({ loc, ...fault }) => ({ ...fault, loc: ['query', ...loc.slice(1)] })))
  return value
}
