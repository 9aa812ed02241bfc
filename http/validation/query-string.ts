import { isUtf8 } from 'node:buffer'
import { HttpError, InvalidRequestError, type FieldError } from '../errors.js'
import { isStorable, UNSTORABLE_FAULT } from './request-text.js'

const ENCODED_SURROGATE = /%ED%[AB][0-9A-F]%[89AB][0-9A-F]/i

/**
 * Percent-decodes a path segment, a name or value of a query, or a header. Throws HttpError 400 when the encoding is broken, and
 * InvalidRequestError at `loc` when the decoded text cannot be stored.
 */
export function decodeComponent(text: string, loc: readonly string[]): string {
  let decoded: string
  try {
    decoded = text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    if (ENCODED_SURROGATE.test(text)) throw new InvalidRequestError([{ loc, ...UNSTORABLE_FAULT }])
    throw new HttpError(400, 'The percent-encoding of the path, the query or a header is invalid.')
  }
  if (!isStorable(decoded)) throw new InvalidRequestError([{ loc, ...UNSTORABLE_FAULT }])
  return decoded
}

/**
 * Reads a header that holds any text: percent-encoded, as fetch and Node must send it, or UTF-8 as it is, as curl does. Node reads headers as
 * Latin-1. Throws as `decodeComponent`, and InvalidRequestError for bytes that are not UTF-8: Latin-1 might be taken for another text.
 */
export function decodeHeader(text: string, loc: readonly string[]): string {
  const bytes = Buffer.from(text, 'latin1')
  const msg = 'Must be ASCII, percent-encoded where it is not: encodeURIComponent writes it.'
  if (!isUtf8(bytes)) throw new InvalidRequestError([{ loc, msg, type: 'string_unicode' }])
  return decodeComponent(bytes.toString(), loc)
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
