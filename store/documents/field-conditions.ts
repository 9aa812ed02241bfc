import { type RawBuilder, sql } from 'kysely'
import { type FieldCondition, fieldValue } from '../../domain/documents/fields.js'
import { LONG_LIST } from '../../domain/documents/members.js'
import { rowOf } from '../row-of.js'
import type { Reader } from '../store.js'

/**
 * Where a value of a key may stand: in `document_fields`, or, as the member of a list, in `document_members`. Of a list
 * that is too long a mark stands there, and of a document whose members are not stored (`members_stored`) nothing; of
 * these the data itself is read.
 */
export const VALUE_TABLES = ['document_fields', 'document_members'] as const

/** Returns the values as they are stored. */
export function storedValues({ values }: FieldCondition): string[] {
  return values.map(fieldValue)
}

/** Returns the condition that a row of `documents d` meets all of these. */
export function rowMeets({ tenantId }: Reader, where: readonly FieldCondition[]): RawBuilder<boolean> {
  return allOf(
    where.map((condition) => {
      const long = isStored('document_members', tenantId, sql`d.id`, condition.key, sql`array[${LONG_LIST}]`)
      const unstored = sql`case when d.members_stored is not true or ${long} then ${isIn(sql`d.data`, condition)} end`
      return meets(tenantId, sql`d.id`, condition, [unstored])
    }),
  )
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
    where.map((condition) => {
      const row = sql`${rowOf('documents', tenantId, sql`d.id`)} o`
      const inLongList = sql`(select ${isIn(sql`o.data`, condition)} from document_members m cross join lateral ${row}
        where m.tenant_id = ${tenantId} and m.document_id = d.id and m.key = ${condition.key} and m.value = ${LONG_LIST} limit 1)`
      const inUnstored = sql`(select ${isIn(sql`o.data`, condition)} from ${row} where o.members_stored is not true)`
      return meets(tenantId, sql`d.id`, condition, unstored ? [inLongList, inUnstored] : [inLongList])
    }),
  )
}

/** Looks up one place after the other: as subqueries that return a value, none becomes a join that reads all of the tenant's rows. */
function meets(
  tenantId: string,
  id: RawBuilder<unknown>,
  condition: FieldCondition,
  elsewhere: readonly RawBuilder<unknown>[],
): RawBuilder<boolean> {
  const stored = VALUE_TABLES.map((table) =>
    isStored(table, tenantId, id, condition.key, sql`${storedValues(condition)}::text[]`),
  )
  return sql<boolean>`coalesce(${sql.join([...stored, ...elsewhere, sql`false`])})`
}

/** Returns true or null. */
function isStored(
  table: (typeof VALUE_TABLES)[number],
  tenantId: string,
  id: RawBuilder<unknown>,
  key: string,
  values: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(select true from ${sql.table(table)} p where p.tenant_id = ${tenantId} and p.document_id = ${id} and p.key = ${key}
    and p.value = any(${values}) limit 1)`
}

/** A list contains its members, and a value itself. Null where the data lacks the key. */
function isIn(data: RawBuilder<unknown>, { key, values }: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`${data} -> ${key}::text @> any(${values.map((value) => JSON.stringify(value))}::jsonb[])`
}

function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}
