import { NotFoundError } from '../../runtime/errors.js'
import { findDocument } from '../../store/documents/read-documents.js'
import { presentDocument } from '../documents/present-document.js'
import { requireCallersCollection } from '../documents/require-names.js'
import { etagOfMaking } from '../entity-tags.js'
import type { Operation } from '../operation.js'

export const getDocument: Operation<'getDocument'> = async (context, principal, { params }) => {
  requireCallersCollection(params.collection, ['path', 'collection'])
  const row = await context.store.read(principal, (reader) => findDocument(reader, params.collection, params.doc_id))
  if (!row) throw new NotFoundError('Document')
  return { status: 200, headers: { ETag: etagOfMaking(row) }, body: presentDocument(principal.tenantId, row) }
}
