import type { RequestHandler } from 'express'
import { NotFoundError } from '../../runtime/errors.js'
import { HttpError } from '../errors.js'
import { splitTarget } from '../request-context.js'
import type { Contract } from '../validation/contract.js'
import { step } from './middleware.js'

/** Looks for the contract's operation of the request, which may be none: an address is limited whatever it asks for. */
export function findRoute(contract: Contract): RequestHandler {
  return step((context) => {
    const { request } = context
    const [path, query] = splitTarget(request.url ?? '/')
    context.match = contract.match(request.method ?? 'GET', path)
    context.query = query
    if (context.match.kind === 'route') context.operationId = context.match.route.operationId
  })
}

/** Throws NotFoundError where no operation was found, HttpError 405 where the path has others. */
export const requireRoute: RequestHandler = step((context) => {
  const { match } = context
  if (match.kind === 'none') throw new NotFoundError('Route')
  if (match.kind === 'method')
    throw new HttpError(405, `This path allows ${match.allow}.`, { headers: { Allow: match.allow } })
  context.route = match.route
  context.rawParams = match.rawParams
  context.isPublic = match.route.security === 'public'
})
