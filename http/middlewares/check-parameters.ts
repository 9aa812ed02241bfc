import type { Contract } from '../validation/contract.js'
import type { CallStep } from './middleware.js'

/** Parses and checks the parameters of path, query and headers. Throws 422, or 400 for what cannot be read. */
export function checkParameters(contract: Contract): CallStep {
  return (call) => {
    const { route, rawParams: params, query, headers } = call
    call.parameters = contract.checkParameters(route, { params, query, headers })
  }
}
