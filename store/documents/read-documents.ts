import { sql } from 'kysely'
import type { Reader } from '../store.js'
import { rowOf } from '../rows-by-id.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { bytesBefore, DOCUMENT_COLUMNS, type DocumentRow, isWithinBounds, PAGE_BYTES } from './document-row.js'

/** Returns a document that is within these bounds. */
export async function findDocument(
  reader: Reader,
  collection: string,
  docId: string,
  bounds: BoundFleets = 'all',
): Promise<DocumentRow | undefined> {
  const { rows } = await sql<DocumentRow>`
    select ${DOCUMENT_COLUMNS} from documents d
    where d.tenant_id = ${reader.tenantId} and d.collection = ${collection} and d.doc_id = ${docId} and ${isWithinBounds('d', bounds)}`.execute(
    reader.db,
  )
  return rows[0]
}

/**
 * Returns the documents with these ids in this order, as many as fit a page, at least one. Ids that no longer exist are
 * left out.
 */
export async function readPageOfDocuments({ db, tenantId }: Reader, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<DocumentRow>`
    select d.* from (
      select ${DOCUMENT_COLUMNS}, place, ${bytesBefore(sql`place`)} as before
      from unnest(${ids as string[]}::uuid[]) with ordinality as asked(id, place)
        cross join lateral ${rowOf('documents', tenantId, sql`asked.id`)} d
    ) d where d.before < ${PAGE_BYTES} order by d.place`.execute(db)
  return rows
}
