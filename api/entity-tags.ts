import { ConflictError } from '../runtime/errors.js'

/** The version as a strong entity tag. */
export function etagOf(row: { readonly version: number }): string {
  return `"${row.version}"`
}

/** Like `etagOf`, for a row whose name can be used again after its deletion: the row's id makes the tag of each making another one. */
export function etagOfMaking(row: { readonly id: string; readonly version: number }): string {
  return `"${row.version}-${row.id.slice(-12)}"`
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/
const LIST = new RegExp(`^\\s*${TAG.source}(?:\\s*,\\s*${TAG.source})*\\s*$`)

/**
 * Holds a change to its `If-Match` (RFC 9110, 13.1.1): `*`, or a list of tags of which one must be the row's. A weak tag never
 * is, and no row has any. The contract has checked its form. Throws 409 with the current version.
 */
export function requireMatch<Row extends { readonly version: number }>(
  ifMatch: string | undefined,
  row: Row | null,
  tagOf: (row: Row) => string = etagOf,
): void {
  if (ifMatch === undefined) return
  if (!row) throw new ConflictError('There is no such row now.', { current_version: null })
  if (ifMatch === '*' || ifMatch.match(new RegExp(TAG, 'g'))!.includes(tagOf(row))) return
  throw new ConflictError('The row has another version now.', { current_version: row.version })
}

/**
 * Whether `If-None-Match` (RFC 9110, 13.1.2) names `etag`: `*`, or a list of tags, of which weak ones count as well. What is no list
 * of tags names none: the answer then is whole.
 */
export function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  if (!LIST.test(ifNoneMatch)) return false
  return ifNoneMatch.match(new RegExp(TAG, 'g'))!.some((tag) => tag.replace(/^W\//, '') === etag)
}

/** Holds a write to its `If-None-Match: *`: there must be no row yet. Throws 409 with the version of the one there is. */
export function requireNone(ifNoneMatch: string | undefined, row: { readonly version: number } | null): void {
  if (ifNoneMatch === undefined) return
  if (row) throw new ConflictError('There is such a row already.', { current_version: row.version })
}
