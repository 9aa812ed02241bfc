import { sql } from 'kysely'
import type { Document } from '../../domain/documents/document.js'

/** A document with the key of its vectors. */
export interface DocumentRow extends Document {
  readonly textHash: Buffer
}

/** Of `documents d`. */
export const DOCUMENT_COLUMNS = sql`
  d.id, d.collection, d.doc_id as "docId", d.fleet_id as "fleetId", d.data, d.text_hash as "textHash", d.version,
  d.system_metadata as "systemMetadata", d.created_at as "createdAt", d.updated_at as "updatedAt"`
