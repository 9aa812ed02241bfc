import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import { LONG_LIST } from '../../domain/documents/members.js'
import { rowOf } from '../row-of.js'
import type { Reader } from '../store.js'
import { isStored, type Source, valuesAt } from './value-tables.js'

/**
 * The two exceptions of `document_members`, where a document's data is read: a list that is too long, of which a mark
 * stands there, and a document whose members are not stored (`members_stored`), of which nothing does.
 */
const isUnstored = (alias: 'd' | 'o' | 'u') => sql<boolean>`${sql.ref(`${alias}.members_stored`)} is not true`

/** Returns the documents of a collection that have too long a list at the key. */
export function longListsAt(reader: Reader, collection: string, key: string): Source {
  return valuesAt(reader, collection, { table: 'document_members', key, isWanted: sql`f.value = ${LONG_LIST}` })
}

/** Returns the documents of a collection whose members are not stored. */
export function unstoredIn({ tenantId }: Reader, collection: string): Source {
  const from = sql`documents u where u.tenant_id = ${tenantId} and u.collection = ${collection} and ${isUnstored('u')}`
  return { from, id: sql`u.id` }
}

/** Returns whether the data of a row of `documents d` meets the condition; null where the tables of values say it. */
export function inDataOfRow(tenantId: string, condition: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`case when ${isUnstored('d')} or ${hasLongList(tenantId, condition)} then ${isIn('d', condition)} end`
}

/**
 * Returns the same for the document `d`, of which only the id is known. `unstored` says whether there are documents whose
 * members are not stored.
 */
export function inDataOfDocument(
  tenantId: string,
  condition: FieldCondition,
  { unstored }: { readonly unstored: boolean },
): RawBuilder<boolean>[] {
  const read = (where: RawBuilder<boolean>) =>
    sql<boolean>`(select ${isIn('o', condition)} from ${rowOf('documents', tenantId, sql`d.id`)} o where ${where})`
  const inLongList = sql<boolean>`case when ${hasLongList(tenantId, condition)} then ${read(sql`true`)} end`
  return unstored ? [inLongList, read(isUnstored('o'))] : [inLongList]
}

function hasLongList(tenantId: string, { key }: FieldCondition): RawBuilder<boolean> {
  return isStored('document_members', tenantId, sql`d.id`, key, sql`array[${LONG_LIST}]`)
}

/** A list contains its members, and a value itself. Null where the data lacks the key. */
function isIn(alias: 'd' | 'o', { key, values }: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${alias}.data`)} -> ${key}::text @> any(${values.map((value) => JSON.stringify(value))}::jsonb[])`
}
