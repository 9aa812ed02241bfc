/**
 * Returns why a collection is not available to the document routes, or null when it is. The contract has checked the
 * name's form.
 */
export function reservedFault(collection: string): string | null {
  return collection.startsWith('_') ? 'Collections that begin with _ are reserved for the service.' : null
}
