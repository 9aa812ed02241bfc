import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import { LONG_LIST } from '../../domain/documents/members.js'
import type { Reader } from '../store.js'
import { storedValues, VALUE_TABLES } from './field-conditions.js'

/** Number of documents that can be read and sorted in a few ms. */
export const FEW_DOCUMENTS = 500

interface Counts {
  /** Counts, for each condition, the documents that meet it as far as is stored, and those with too long a list at its key. */
  readonly counts: readonly { readonly having: number; readonly longLists: number }[]
  /** Documents whose members of lists are not stored. */
  readonly unstored: number
}

/** Counts documents, each kind up to `FEW_DOCUMENTS` + 1. */
export async function countsOf(
  reader: Reader,
  { collection, where }: { collection: string; where: readonly FieldCondition[] },
): Promise<Counts> {
  const count = (...sources: Source[]) => sql`(select count(*)::int from (${fewOf(sources)}) few)`
  const having = where.map((condition) => count(...havingAny(reader, collection, condition)))
  const longLists = where.map(({ key }) => count(longListsAt(reader, collection, key)))
  const { rows } = await sql<{ having: number[]; longLists: number[]; unstored: number }>`
    select array[${sql.join(having)}] as having, array[${sql.join(longLists)}] as "longLists",
      ${count(unstoredIn(reader, collection))} as unstored`.execute(reader.db)
  const found = rows[0]!
  const counts = found.having.map((having, i) => ({ having, longLists: found.longLists[i]! }))
  return { counts, unstored: found.unstored }
}

/** Rows that name documents: what follows `from`, and the id within it. */
export interface Source {
  readonly from: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
}

export function valuesAt(
  { tenantId }: Reader,
  collection: string,
  { table, key, isWanted }: { table: (typeof VALUE_TABLES)[number]; key: string; isWanted: RawBuilder<unknown> },
): Source {
  return {
    from: sql`${sql.table(table)} f where f.tenant_id = ${tenantId} and f.collection = ${collection} and f.key = ${key} and ${isWanted}`,
    id: sql`f.document_id`,
  }
}

/** Returns the documents that have one of the values, or one of them in a list; a document may be there several times. */
export function havingAny(reader: Reader, collection: string, condition: FieldCondition): Source[] {
  const isWanted = sql`f.value = any(${storedValues(condition)}::text[])`
  return VALUE_TABLES.map((table) => valuesAt(reader, collection, { table, key: condition.key, isWanted }))
}

/** Returns the documents whose data says what a list that is too long contains. */
export function longListsAt(reader: Reader, collection: string, key: string): Source {
  return valuesAt(reader, collection, { table: 'document_members', key, isWanted: sql`f.value = ${LONG_LIST}` })
}

/** Returns the documents whose data alone says what their lists contain. */
export function unstoredIn({ tenantId }: Reader, collection: string): Source {
  const from = sql`documents u where u.tenant_id = ${tenantId} and u.collection = ${collection} and u.members_stored is not true`
  return { from, id: sql`u.id` }
}

/** Selects the first ids of each source, in no order. */
export function fewOf(sources: readonly Source[]): RawBuilder<{ id: string }> {
  const few = sources.map(({ from, id }) => sql`(select ${id} as id from ${from} limit ${FEW_DOCUMENTS + 1})`)
  return sql`select id from (${sql.join(few, sql` union all `)}) few limit ${FEW_DOCUMENTS + 1}`
}
