import { sql } from 'kysely'
import { BACKFILL_SEQ, isInRange, type LiveRange } from './index-rows.js'
import type { RowSeq } from '../outbox/outbox.js'
import type { PendingKind } from '../schema.js'
import type { Reader } from '../store.js'
import type { Language } from '../../domain/text/language.js'
import { bytesBefore, isFleetBound, languageColumn } from '../documents/document-row.js'

/** Stored fields that an index document is made from. */
export interface IndexedDocument {
  readonly collection: string
  readonly docId: string
  readonly fleetId: string | null
  readonly data: Record<string, unknown>
  readonly textHash: Buffer
  readonly language: Language | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A claimed row with its document; the document is null when it is deleted, and a tombstone goes into the index. */
export interface IndexDocumentRow extends RowSeq {
  readonly stored: IndexedDocument | null
}

/** The fleet is that under which the index has the document (`indexedBoundFleet`). */
const COLUMNS = sql`
  d.collection, d.doc_id as "docId", case when ${isFleetBound('d')} then 'forge ' || d.fleet_id else d.fleet_id end as "fleetId", d.data, d.text_hash as "textHash", ${languageColumn('d')} as language, d.created_at as "createdAt", d.updated_at as "updatedAt"`

/** Reads claimed documents, as `readIndexRows` (indexing/index-rows.ts) reads claimed memories. */
export async function readDocumentRows(
  reader: Reader,
  kind: PendingKind,
  ticket: string,
  ids: readonly string[],
): Promise<IndexDocumentRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ rowId: string; seq: number; isLive: boolean } & IndexedDocument>`
    select p.entity_id as "rowId", p.seq, d.id is not null as "isLive", ${COLUMNS}
    from index_pending p left join documents d on d.tenant_id = p.tenant_id and d.id = p.entity_id
    where p.tenant_id = ${reader.tenantId} and p.kind = ${kind} and p.ticket = ${ticket}
      and p.entity_id = any(${ids as string[]}::uuid[])
    order by p.entity_id`.execute(reader.db)
  return rows.map(({ rowId, seq, isLive, ...stored }) => ({ id: rowId, seq, stored: isLive ? stored : null }))
}

/** Returns the bytes of JSON of those documents that exist, by id. */
export async function readDocumentSizes(reader: Reader, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; bytes: number }>`
    select d.id, octet_length(d.data::text) as bytes from documents d
    where d.tenant_id = ${reader.tenantId} and d.id = any(${ids as string[]}::uuid[])`.execute(reader.db)
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}

/** Bytes of JSON that a backfill or a comparison holds in memory at once. */
const PAGE_BYTES = 4 * 1024 * 1024

/**
 * Reads a page of documents, as `readLiveRows` (indexing/index-rows.ts) does of memories; a page of large documents is
 * shorter, but has at least one.
 */
export async function readLiveDocuments(reader: Reader, range: LiveRange): Promise<IndexDocumentRow[]> {
  const { rows } = await sql<{ rowId: string } & IndexedDocument>`
    with page as (
      select d.id, ${bytesBefore(sql`d.id`)} as before from (
        select id, data from documents where tenant_id = ${reader.tenantId} and ${isInRange(sql`id`, range)}
        order by id limit ${range.limit}
      ) d
    )
    select d.id as "rowId", ${COLUMNS} from page join documents d on d.tenant_id = ${reader.tenantId} and d.id = page.id
    where page.before < ${PAGE_BYTES} order by d.id`.execute(reader.db)
  return rows.map(({ rowId, ...stored }) => ({ id: rowId, seq: BACKFILL_SEQ, stored }))
}
