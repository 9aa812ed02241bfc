import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import type { Reader } from '../store.js'
import { longListsAt, unstoredIn } from './unlisted-members.js'
import { type Source, storedValues, VALUE_TABLES, valuesAt } from './value-tables.js'

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

/** Returns the documents that have one of the values, or one of them in a list; a document may be there several times. */
export function havingAny(reader: Reader, collection: string, condition: FieldCondition): Source[] {
  const isWanted = sql`f.value = any(${storedValues(condition)}::text[])`
  return VALUE_TABLES.map((table) => valuesAt(reader, collection, { table, key: condition.key, isWanted }))
}

/** Selects the first ids of each source, in no order. */
export function fewOf(sources: readonly Source[]): RawBuilder<{ id: string }> {
  const few = sources.map(({ from, id }) => sql`(select ${id} as id from ${from} limit ${FEW_DOCUMENTS + 1})`)
  return sql`select id from (${sql.join(few, sql` union all `)}) few limit ${FEW_DOCUMENTS + 1}`
}
