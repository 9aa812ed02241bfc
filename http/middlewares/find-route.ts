import { HttpError } from '../errors.js'
import { type MessageEndpoint, routeOfEndpoint } from '../message-endpoint.js'
import { type RequestContext, splitTarget } from '../request-context.js'
import type { Contract } from '../validation/contract.js'
import { MAX_SHOWN_PATH } from '../validation/near-route.js'
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

/**
 * Throws HttpError 404 where no operation was found, and says which is probably meant and where all are described; HttpError 405 where the
 * path has others.
 */
export function requireRoute(contract: Contract, describedAt: string | null): Step {
  return (context) => {
    const { match } = context
    if (match.kind === 'none') throw new HttpError(404, noRoute(context, contract, describedAt))
    if (match.kind === 'method')
      throw new HttpError(405, `This path allows ${match.allow}.`, { headers: { Allow: match.allow } })
    context.route = match.route
    context.rawParams = match.rawParams
    context.isPublic = match.route.security === 'public'
  }
}

function noRoute({ method, target, match }: RequestContext, contract: Contract, describedAt: string | null): string {
  if (match.kind === 'none' && match.because !== undefined) return match.because
  const [path] = splitTarget(target)
  const near = contract.near(method, path)
  const shown = path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path
  const hint = near === null ? '' : `; did you mean ${near}?`
  const described = describedAt === null ? '' : ` The API is described at ${describedAt}.`
  return `There is no route ${method} ${shown}${hint || '.'}${described}`
}

/** Takes the one route of an endpoint beside the contract, whatever query its URL has. */
export function takeRoute(endpoint: MessageEndpoint): Step {
  const route = routeOfEndpoint(endpoint)
  return (context) => {
    const { method, request } = context
    context.refusalOf = (answer) => endpoint.refusalOf(answer, null)
    const isRoot = splitTarget(request.url ?? '/')[0].replace(/\/$/, '') === ''
    context.query = ''
    context.operationId = endpoint.name
    if (!isRoot) context.match = { kind: 'none' }
    else if (method === 'POST') context.match = { kind: 'route', route, rawParams: {} }
    else context.match = { kind: 'method', allow: 'POST' }
  }
}
