import { type RawBuilder, sql } from 'kysely'

/**
 * Passes ids as one string: pg escapes an array element by element, which takes longer than the query for a hundred
 * ids. For `unnest`: as the right side of `= any` PostgreSQL may parse it for every row.
 */
export function uuids(ids: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`string_to_array(${ids.join(',')}, ',')::uuid[]`
}
