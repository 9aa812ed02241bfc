import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus } from '../domain/memory.js'

/**
 * Returns the condition that a row belongs to this tenant; always true when no tenant is named. For statements over all
 * tenants.
 */
export function ofTenant(tenantId: string | RawBuilder<unknown> | undefined): RawBuilder<boolean> {
  return tenantId === undefined ? sql<boolean>`true` : sql<boolean>`tenant_id = ${tenantId}`
}

/**
 * Returns the condition that a row of the table or alias has one of these statuses. The statuses are literals in the
 * statement: from a parameter the planner cannot tell that a partial index of live memories holds all rows wanted.
 */
export function ofStatus(table: string, statuses: readonly MemoryStatus[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.status`)} in (${sql.join(statuses.map((status) => sql.lit(status)))})`
}

/** Returns the right side of `= any`: one parameter for a list of any length, so that it stays one prepared statement. */
export function anyOf<T>(values: readonly T[]): RawBuilder<T> {
  return sql<T>`any(${values})`
}

/**
 * Returns the right side of `= any` for the rows of a query, which is read once. PostgreSQL may read a query behind `in` once more for each row of a
 * table that it believes to be empty, as it believes of one that was vacuumed when its rows had just been deleted.
 */
export function anyOfQuery(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`any(array(${query}))`
}

/** Is the time at which the transaction began, by the database's clock. */
export const NOW = sql<Date>`now()`

/** Returns a filter's condition, or none when the filter was not given. */
export function equal(column: RawBuilder<unknown>, value: string | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : [sql`${column} = ${value}`]
}
