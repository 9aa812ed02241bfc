import { NotFoundError } from '../../runtime/errors.js'
import { HttpError } from '../errors.js'
import { type MessageEndpoint, routeOfEndpoint } from '../message-endpoint.js'
import { splitTarget } from '../request-context.js'
import type { Contract } from '../validation/contract.js'
import type { Step } from './middleware.js'

/** Looks for the contract's operation of the request, which may be none: an address is limited whatever it asks for. */
export function findRoute(contract: Contract): Step {
  return (context) => {
    const { request } = context
    const [path, query] = splitTarget(request.url ?? '/')
    context.match = contract.match(request.method ?? 'GET', path)
    context.query = query
    if (context.match.kind === 'route') context.operationId = context.match.route.operationId
  }
}

/** Throws NotFoundError where no operation was found, HttpError 405 where the path has others. */
export const requireRoute: Step = (context) => {
  const { match } = context
  if (match.kind === 'none') throw new NotFoundError('Route')
  if (match.kind === 'method')
    throw new HttpError(405, `This path allows ${match.allow}.`, { headers: { Allow: match.allow } })
  context.route = match.route
  context.rawParams = match.rawParams
  context.isPublic = match.route.security === 'public'
}

/** Takes the one route of an endpoint beside the contract, whatever query its URL has. */
export function takeRoute(endpoint: MessageEndpoint): Step {
  const route = routeOfEndpoint(endpoint)
  return (context) => {
    const { method, request } = context
    context.refusalOf = (answer) => endpoint.refusalOf(answer)
    const isRoot = splitTarget(request.url ?? '/')[0].replace(/\/$/, '') === ''
    context.query = ''
    context.operationId = endpoint.name
    if (!isRoot) context.match = { kind: 'none' }
    else if (method === 'POST') context.match = { kind: 'route', route, rawParams: {} }
    else context.match = { kind: 'method', allow: 'POST' }
  }
}
