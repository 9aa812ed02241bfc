import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import type { Reader } from '../store.js'
import { inDataOfDocument, inDataOfRow, unlessInData } from './unlisted-members.js'
import { isStored, storedValues, VALUE_TABLES } from './value-tables.js'

/** Returns the condition that a row of `documents d` meets all of these. */
export function rowMeets({ tenantId }: Reader, where: readonly FieldCondition[]): RawBuilder<boolean> {
  return allOf(where.map((condition) => meets(tenantId, condition, [inDataOfRow(tenantId, condition)])))
}

/** Returns the same as far as the tables of values say it, without reading data: null where the data decides. */
export function rowMeetsAsStored({ tenantId }: Reader, where: readonly FieldCondition[]): RawBuilder<boolean> {
  return allOf(where.map((condition) => valueOf(tenantId, condition, [unlessInData(tenantId, condition)])))
}

/**
 * Returns the condition that the document `d`, of which only the id is known, meets all of these. `unstored` says whether
 * there are documents whose members are not stored.
 */
export function documentMeets(
  { tenantId }: Reader,
  where: readonly FieldCondition[],
  { unstored }: { readonly unstored: boolean },
): RawBuilder<boolean> {
  return allOf(
    where.map((condition) => meets(tenantId, condition, inDataOfDocument(tenantId, condition, { unstored }))),
  )
}

function meets(tenantId: string, condition: FieldCondition, inData: readonly RawBuilder<boolean>[]) {
  return valueOf(tenantId, condition, [...inData, sql<boolean>`false`])
}

/** Looks up one place after the other: as subqueries that return a value, none becomes a join that reads all of the tenant's rows. */
function valueOf(
  tenantId: string,
  condition: FieldCondition,
  otherwise: readonly RawBuilder<boolean>[],
): RawBuilder<boolean> {
  const stored = VALUE_TABLES.map((table) =>
    isStored(table, tenantId, sql`d.id`, condition.key, sql`${storedValues(condition)}::text[]`),
  )
  return sql<boolean>`coalesce(${sql.join([...stored, ...otherwise])})`
}

function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}
