import { type RawBuilder, sql } from 'kysely'

/**
 * Passes ids as one string: pg escapes an array element by element, which takes longer than the query for a hundred
 * ids. For `unnest`: as the right side of `= any` PostgreSQL may parse it for every row.
 */
export function uuids(ids: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`string_to_array(${ids.join(',')}, ',')::uuid[]`
}

/**
 * Returns the row of an id, for a lateral join. Its limit keeps the planner from merging it into a join that reads all
 * of the tenant's rows, as it does without good statistics: from a large import to the next `analyze` recall took six
 * times as long.
 */
export function rowOf(table: 'memories' | 'documents', tenantId: string, id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${sql.table(table)} where tenant_id = ${tenantId} and id = ${id} limit 1)`
}

/**
 * Returns a query for a lateral join that is computed for each row on the left, by an index over what it takes from there.
 * The planner does not merge it into a join that reads all of the tenant's rows.
 */
export function fenced(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${query} offset 0)`
}

/** Returns the rows with these ids, in the order of the ids. */
export function inOrderOf<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map<string, Row>()
  for (const row of rows) byId.set(row.id, row)
  const ordered: Row[] = []
  for (const id of ids) {
    const row = byId.get(id)
    if (row !== undefined) ordered.push(row)
  }
  return ordered
}
