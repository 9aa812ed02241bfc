import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import { type Answer, HttpError } from './errors.js'
import { OperationCall } from './operation-call.js'
import type { Match } from './validation/router.js'

/** A request and its response, which call an operation. */
export class RequestContext extends OperationCall {
  readonly requestId: string
  isPublic = true
  /** Puts a refusal into the form of the protocol that the caller speaks. */
  refusalOf = (answer: Answer): Answer => answer

  /** Set by `findRoute`. */
  match!: Match

  /** `address` is the caller's network address, as far as proxies are trusted. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly address: string | undefined,
  ) {
    super()
    this.requestId = requestIdOf(request)
  }

  get method(): string {
    return this.request.method ?? 'GET'
  }

  /** The request's target as it was sent; `request.url` lacks the path that an endpoint or a site is mounted at. */
  get target(): string {
    return (this.request as Request).originalUrl
  }

  get routePath(): string | null {
    // A request without a Host is refused before its route is looked for.
    const match = this.match as Match | undefined
    return match?.kind === 'route' ? match.route.path : null
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  setHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.response.headersSent) return
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value)
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

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
