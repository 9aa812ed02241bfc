import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus } from '../domain/memory.js'

/** For a system's statement: rows of this tenant, or of all when none is named. */
export function ofTenant(tenantId: string | RawBuilder<unknown> | undefined): RawBuilder<boolean> {
  return tenantId === undefined ? sql<boolean>`true` : sql<boolean>`tenant_id = ${tenantId}`
}

/**
 * Memories of these statuses, of the table or alias. They stand in the statement's text: of a parameter the planner cannot tell
 * that an index of live memories alone holds them all.
 */
export function ofStatus(table: string, statuses: readonly MemoryStatus[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.status`)} in (${sql.join(statuses.map((status) => sql.lit(status)))})`
}

/** A filter's condition; none when it was not given. */
export function equal(column: RawBuilder<unknown>, value: string | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : [sql`${column} = ${value}`]
}
