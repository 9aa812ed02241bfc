import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import { fieldValue } from '../../domain/filter-values.js'
import type { Reader } from '../store.js'

/**
 * Where a value of a key stands: in `document_fields`, or, as the member of a list, in `document_members`, except those
 * that are read in the data (unlisted-members.ts).
 */
export const VALUE_TABLES = ['document_fields', 'document_members'] as const
type ValueTable = (typeof VALUE_TABLES)[number]

/** Returns the values as they are stored. */
export function storedValues({ values }: FieldCondition): string[] {
  return values.map(fieldValue)
}

/** Rows that name documents: what follows `from`, and the id within it. */
export interface Source {
  readonly from: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
}

/** Returns the rows `f` of a collection that have such a value at the key. */
export function valuesAt(
  { tenantId }: Reader,
  collection: string,
  { table, key, isWanted }: { table: ValueTable; key: string; isWanted: RawBuilder<unknown> },
): Source {
  return {
    from: sql`${sql.table(table)} f where f.tenant_id = ${tenantId} and f.collection = ${collection} and f.key = ${key} and ${isWanted}`,
    id: sql`f.document_id`,
  }
}

/** Returns whether a document has one of the values at the key: true or null. */
export function isStored(
  table: ValueTable,
  tenantId: string,
  id: RawBuilder<unknown>,
  key: string,
  values: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(select true from ${sql.table(table)} p where p.tenant_id = ${tenantId} and p.document_id = ${id} and p.key = ${key}
    and p.value = any(${values}) limit 1)`
}
