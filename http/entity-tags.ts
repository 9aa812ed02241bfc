import fresh from 'fresh'
import { ConflictError } from '../runtime/errors.js'

/** Returns the row's version as a strong entity tag. */
export function etagOf(row: { readonly version: number }): string {
  return `"${row.version}"`
}

/** Returns a strong entity tag of a row whose name can be reused after its deletion: the row's id makes the tag differ from the old row's. */
export function etagWithId(row: { readonly id: string; readonly version: number }): string {
  return `"${row.version}-${row.id.slice(-12)}"`
}

const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/**
 * Checks `If-Match` (RFC 9110, 13.1.1): `*`, or a list of tags of which one must be the row's. A weak tag never matches, and nothing
 * matches a missing row. The contract has checked its syntax. Throws ConflictError with the current version.
 */
export function requireMatch<Row extends { readonly version: number }>(
  ifMatch: string | undefined,
  row: Row | null,
  tagOf: (row: Row) => string = etagOf,
): void {
  if (ifMatch === undefined) return
  if (!row) throw new ConflictError('The resource does not exist.', { details: { current_version: null } })
  if (ifMatch === '*' || ifMatch.match(TAGS)!.includes(tagOf(row))) return
  throw new ConflictError('The resource has a different version.', { details: { current_version: row.version } })
}

/** Reports whether `If-None-Match` (RFC 9110, 13.1.2) matches `etag`: `*`, or a list of tags, weak ones included. */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return fresh({ 'if-none-match': ifNoneMatch }, { etag })
}

/** Checks `If-None-Match: *`: the row must not exist yet. Throws ConflictError with the version of the existing row. */
export function requireNone(ifNoneMatch: string | undefined, row: { readonly version: number } | null): void {
  if (ifNoneMatch === undefined) return
  if (row) throw new ConflictError('The resource already exists.', { details: { current_version: row.version } })
}
