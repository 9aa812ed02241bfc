import { readDocumentRows, readLiveDocuments, type IndexDocumentRow } from '../../store/documents/indexed-documents.js'
import { documentEntry } from './index-entry.js'
import type { IndexingSource } from './indexing-source.js'

export const DOCUMENTS: IndexingSource<IndexDocumentRow> = {
  corpus: 'documents',
  kinds: { change: 'document', vector: 'document_vector' },
  readRows: readDocumentRows,
  entryOf: documentEntry,
  readLive: readLiveDocuments,
}
