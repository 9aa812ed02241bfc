import { type RawBuilder, sql } from 'kysely'
import type { Document } from '../../domain/documents/document.js'

/** A document with the key of its vectors. */
export interface DocumentRow extends Document {
  readonly textHash: Buffer
}

/** Of `documents d`. */
export const DOCUMENT_COLUMNS = sql`
  d.id, d.collection, d.doc_id as "docId", d.fleet_id as "fleetId", d.data, d.text_hash as "textHash", d.version,
  d.system_metadata as "systemMetadata", d.created_at as "createdAt", d.updated_at as "updatedAt"`

/** JSON of one answer: documents of 256 KiB would make one of 50 MB. */
export const PAGE_BYTES = 4 * 1024 * 1024

/** Of `documents d`: bytes of the JSON of those before it in this order. */
export function bytesBefore(order: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(octet_length(d.data::text)) over (order by ${order}) - octet_length(d.data::text)`
}

/** Of rows with a `fleet_id` under this alias: those of this fleet or of none; all of them where none is named. */
export function ofFleetOrNone(alias: 'd' | 'o' | 'c', fleetId: string | undefined): RawBuilder<boolean> {
  const fleet = sql.ref(`${alias}.fleet_id`)
  return fleetId === undefined ? sql<boolean>`true` : sql<boolean>`(${fleet} = ${fleetId} or ${fleet} is null)`
}
