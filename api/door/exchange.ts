import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CairnError } from '../../runtime/errors.js'
import type { ApiContext } from '../context.js'
import { failureForLog } from './errors.js'

/** A request on its way to its answer, and what is known of it for its line in the log. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** The caller's, as far as proxies are trusted. */
  readonly address: string | undefined
  operationId: string
  isPublic: boolean
  tenantId: string | null
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** With the headers that every answer carries. */
export function beginExchange(
  request: IncomingMessage,
  response: ServerResponse,
  address: string | undefined,
): Exchange {
  const requestId = requestIdOf(request)
  response.setHeader('X-Request-Id', requestId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  return { request, response, requestId, address, operationId: 'unknown', isPublic: true, tenantId: null }
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Path and query as they came; a proxy's absolute form is taken for what it stands for. Throws 400 for raw non-ASCII. */
export function splitTarget(url: string): [path: string, query: string] {
  if (!/^[\x21-\x7e]*$/.test(url)) throw new CairnError(400, 'The path and the query must be percent-encoded.')
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

interface Outcome {
  readonly status: number
  readonly failure: unknown
  readonly seconds: number
  /** Requests that take longer are logged as information. */
  readonly slowMs: number
}

/** One line for each request; a failure is in it, and nowhere else. */
export function report(
  { metrics, logger }: Pick<ApiContext, 'metrics' | 'logger'>,
  { request, requestId, operationId, tenantId }: Exchange,
  { status, failure, seconds, slowMs }: Outcome,
): void {
  metrics.request(operationId, status, seconds)
  const ms = Math.round(seconds * 10_000) / 10
  const { method } = request
  const line = { requestId, method, operationId, status, ms, ...(tenantId !== null && { tenantId }) }
  if (status === 500) logger.error({ ...line, failure: failureForLog(failure) }, 'request failed')
  else if (status > 500) logger.warn({ ...line, failure: failureForLog(failure) }, 'request not answered')
  else if (ms >= slowMs) logger.info(line, 'slow request')
  else logger.debug(line, 'request')
}
