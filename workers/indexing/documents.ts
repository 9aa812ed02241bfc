import { readDocumentRows, readLiveDocuments, type IndexDocumentRow } from '../../store/documents/indexed-documents.js'
import { documentEntry } from './index-entry.js'
import type { Indexed } from './indexed.js'

export const DOCUMENTS: Indexed<IndexDocumentRow> = {
  space: 'documents',
  kinds: { change: 'document', vector: 'document_vector' },
  readRows: readDocumentRows,
  entryOf: documentEntry,
  readLive: readLiveDocuments,
}
