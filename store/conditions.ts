import { type RawBuilder, sql } from 'kysely'

/** For a system's statement: rows of this tenant, or of all when none is named. */
export function ofTenant(tenantId: string | RawBuilder<unknown> | undefined): RawBuilder<boolean> {
  return tenantId === undefined ? sql<boolean>`true` : sql<boolean>`tenant_id = ${tenantId}`
}

/** A filter's condition; none when it was not given. */
export function equal(column: RawBuilder<unknown>, value: string | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : [sql`${column} = ${value}`]
}
