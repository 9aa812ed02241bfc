import { type RawBuilder, sql } from 'kysely'

/**
 * Returns the row of an id, for a lateral join. Its limit keeps the planner from merging it into a join that reads all
 * of the tenant's rows, as it does without good statistics: from a large import to the next `analyze` recall took six
 * times as long.
 */
export function rowOf(table: 'memories' | 'documents', tenantId: string, id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${sql.table(table)} where tenant_id = ${tenantId} and id = ${id} limit 1)`
}
