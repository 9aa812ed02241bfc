import { NotFoundError } from '../../runtime/errors.js'
import { deleteDocument as remove, holdDocuments } from '../../store/documents/write-documents.js'
import { requireOwnFleet } from '../documents/require-fleet.js'
import { requireCallersCollection } from '../documents/require-names.js'
import { etagOfMaking, requireMatch } from '../entity-tags.js'
import type { Operation } from '../operation.js'

export const deleteDocument: Operation<'deleteDocument'> = async (context, principal, { params, headers }) => {
  const { collection, doc_id: docId } = params
  requireCallersCollection(collection, ['path', 'collection'])
  await context.store.transact(principal, async (writer) => {
    const row = (await holdDocuments(writer, collection, [docId])).held.get(docId)
    if (!row) throw new NotFoundError('Document')
    requireOwnFleet(principal, row.fleetId)
    requireMatch(headers['If-Match'], row, etagOfMaking)
    await remove(writer, row, new Date(context.clock.now()))
  })
  return { status: 204 }
}
