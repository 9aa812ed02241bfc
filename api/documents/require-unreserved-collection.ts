import { reservedFault } from '../../domain/documents/names.js'
import { InvalidRequestError } from '../../http/errors.js'

/** Throws 422 at `loc` for a collection whose name is reserved for the service. */
export function requireUnreservedCollection(collection: string, loc: readonly string[]): void {
  const fault = reservedFault(collection)
  if (fault !== null) throw InvalidRequestError.at(loc, fault)
}
