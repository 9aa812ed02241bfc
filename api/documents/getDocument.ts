import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findDocument } from '../../store/documents/read-documents.js'
import { presentDocument } from './present-document.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import { etagWithId } from '../../http/entity-tags.js'
import type { Operation } from '../operation.js'

export const getDocument: Operation<'getDocument'> = async (context, principal, { params }) => {
  requireUnreservedCollection(params.collection, ['path', 'collection'])
  const bounds = boundFleetsOf(principal, 'all')
  const row = await context.store.read(principal, (reader) =>
    findDocument(reader, params.collection, params.doc_id, bounds),
  )
  if (!row) throw new NotFoundError('Document')
  return { status: 200, headers: { ETag: etagWithId(row) }, body: presentDocument(principal, row) }
}
