import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { failureForLog, HttpError } from './errors.js'
import type { TransportContext } from './operation.js'

/** A request and its response, with what has been learnt for the request's log line. */
export interface RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** The caller's network address, as far as proxies are trusted. */
  readonly address: string | undefined
  operationId: string
  isPublic: boolean
  tenantId: string | null
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Creates the context of a request and sets the headers that every response carries. */
export function createRequestContext(
  request: IncomingMessage,
  response: ServerResponse,
  address: string | undefined,
): RequestContext {
  const requestId = requestIdOf(request)
  response.setHeader('X-Request-Id', requestId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  return { request, response, requestId, address, operationId: 'unknown', isPublic: true, tenantId: null }
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/**
 * Splits a request target into its raw path and its raw query. Accepts the absolute form that proxies send. Throws HttpError 400
 * for characters that must be percent-encoded.
 */
export function splitTarget(url: string): [path: string, query: string] {
  if (!/^[\x21-\x7e]*$/.test(url)) throw new HttpError(400, 'The path and the query must be percent-encoded.')
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

interface RequestOutcome {
  readonly status: number
  readonly failure: unknown
  readonly seconds: number
  /** Milliseconds from which a request is logged at level info. */
  readonly slowMs: number
}

/** Records the request in the metrics and writes its one log line, which is the only one that has the failure. */
export function logRequest(
  { metrics, logger }: Pick<TransportContext, 'metrics' | 'logger'>,
  { request, requestId, operationId, tenantId }: RequestContext,
  { status, failure, seconds, slowMs }: RequestOutcome,
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
