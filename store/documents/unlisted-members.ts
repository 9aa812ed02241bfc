import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import { LONG_LIST } from '../../domain/documents/members.js'
import { rowOf } from '../rows-by-id.js'
import type { Reader } from '../store.js'
import { isStored, type Source, valuesAt } from './value-tables.js'

// The two exceptions of `document_members`, where a document's data is read: a list that is too long, of which a mark stands
// there, and a document whose members are not stored, of which nothing does.

/** Values that are compared with each member of a list one by one; more are hashed, which takes as long as some 18 comparisons. */
const FEW_VALUES = 16

/** False for a document with too many lists, null for one of an earlier version. */
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
  return sql<boolean>`case when ${isInData(tenantId, condition)} then ${isIn('d', condition)} end`
}

/** Returns null where the data of a row of `documents d` says whether it meets the condition, else false. */
export function unlessInData(tenantId: string, condition: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`case when ${isInData(tenantId, condition)} then null else false end`
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

function isInData(tenantId: string, condition: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`${isUnstored('d')} or ${hasLongList(tenantId, condition)}`
}

function hasLongList(tenantId: string, { key }: FieldCondition): RawBuilder<boolean> {
  return isStored('document_members', tenantId, sql`d.id`, key, sql`array[${LONG_LIST}]`)
}

/** Returns whether the list at the key has one of the values as a member. */
function isIn(alias: 'd' | 'o', { key, values }: FieldCondition): RawBuilder<boolean> {
  const at = sql`${sql.ref(`${alias}.data`)} -> ${key}::text`
  const wanted = sql`${values.map((value) => JSON.stringify(value))}::jsonb[]`
  // A list contains its members, and a value itself. Null where the data lacks the key.
  if (values.length <= FEW_VALUES) return sql<boolean>`${at} @> any(${wanted})`
  // PostgreSQL hashes the values of a subquery in every plan, those of an array only where it knows them when it plans.
  return sql<boolean>`exists (select from jsonb_array_elements(case jsonb_typeof(${at}) when 'array' then ${at} end) as m(member)
    where m.member in (select unnest(${wanted})))`
}
