/** Collections that are kept with the documents and have routes of their own; with those that begin with `_`, no caller's. */
export const RESERVED_COLLECTIONS: readonly string[] = ['skills']

/** Why documents of this collection are on no route of documents; null when they are. The contract has checked its form. */
export function reservedFault(collection: string): string | null {
  if (collection.startsWith('_')) return 'Collections that begin with _ are reserved to the service.'
  if (RESERVED_COLLECTIONS.includes(collection))
    return `${collection} is reserved for the catalogue of skills, which this version does not have yet.`
  return null
}
