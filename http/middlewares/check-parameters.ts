import type { RequestHandler } from 'express'
import type { Contract } from '../validation/contract.js'
import { step } from './middleware.js'

/** Parses and checks the parameters of path, query and headers. Throws 422, or 400 for what cannot be read. */
export function checkParameters(contract: Contract): RequestHandler {
  return step((context) => {
    const { route, rawParams: params, query, request } = context
    context.parameters = contract.checkParameters(route, { params, query, headers: request.headers })
  })
}
