import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { documentLanguage, documentTextHash } from '../../domain/documents/text.js'
import type { DocumentRow } from '../../store/documents/document-row.js'

/** Returns a new document of the collection `c`, ready to be stored. */
export function newDocument(data: DocumentRow['data'], fields: Partial<DocumentRow> = {}): DocumentRow {
  const now = new Date()
  return {
    id: uuidv7(),
    collection: 'c',
    docId: randomUUID(),
    fleetId: null,
    data,
    textHash: documentTextHash(data),
    language: documentLanguage(data),
    version: 1,
    systemMetadata: {},
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
}
