import { HttpError, InvalidRequestError, type FieldError } from '../errors.js'
import { isStorable, UNSTORABLE_FAULT } from './request-text.js'

const ENCODED_SURROGATE = /%ED%[AB][0-9A-F]%[89AB][0-9A-F]/i

/**
 * Percent-decodes a path segment, or a name or value of a query. Throws HttpError 400 when the encoding is broken, and
 * InvalidRequestError at `loc` when the decoded text cannot be stored.
 */
export function decodeComponent(text: string, loc: readonly string[]): string {
  let decoded: string
  try {
    decoded = text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    if (ENCODED_SURROGATE.test(text)) throw new InvalidRequestError([{ loc, ...UNSTORABLE_FAULT }])
    throw new HttpError(400, 'The percent-encoding of the path or the query is invalid.')
  }
  if (!isStorable(decoded)) throw new InvalidRequestError([{ loc, ...UNSTORABLE_FAULT }])
  return decoded
}

/**
 * Returns the parameters of a query as text, in an object without a prototype, so that no name is special. Throws as `decodeComponent`,
 * and InvalidRequestError for a name that is given twice: one of its values would be dropped silently.
 */
export function parseQuery(query: string): Record<string, string> {
  const values = Object.create(null) as Record<string, string>
  const repeated: FieldError[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const [rawName = '', ...rest] = pair.replaceAll('+', ' ').split('=')
    const name = decodeComponent(rawName, ['query'])
    const value = decodeComponent(rest.join('='), ['query', name])
    if (name in values) repeated.push({ loc: ['query', name], msg: 'Is given more than once.', type: 'repeated' })
    values[name] = value
  }
  if (repeated.length > 0) throw new InvalidRequestError(repeated)
  return values
}
