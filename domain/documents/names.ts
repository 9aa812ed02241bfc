/**
 * Collections stored with the documents that have routes of their own. Like those that begin with `_`, callers cannot
 * use them.
 */
export const RESERVED_COLLECTIONS: readonly string[] = ['skills']

/**
 * Returns why a collection is not available to the document routes, or null when it is. The contract has checked the
 * name's form.
 */
export function reservedFault(collection: string): string | null {
  if (collection.startsWith('_')) return 'Collections that begin with _ are reserved for the service.'
  if (RESERVED_COLLECTIONS.includes(collection))
    return `${collection} is reserved for the catalogue of skills, which this version does not have yet.`
  return null
}
