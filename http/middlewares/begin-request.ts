import type { RequestHandler } from 'express'
import { HttpError } from '../errors.js'
import { RequestContext } from '../request-context.js'
import { setContext } from './middleware.js'

/** Creates the request's context and sets the headers that every response carries. Throws HttpError 400 for a request without Host. */
export const beginRequest: RequestHandler = (request, response, next) => {
  const context = new RequestContext(request, response, request.ip)
  setContext(response, context)
  response.setHeader('X-Request-Id', context.requestId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new HttpError(400, 'HTTP/1.1 requests need a Host header.')
  next()
}
