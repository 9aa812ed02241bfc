import { requireUnreservedCollection } from './require-unreserved-collection.js'
import { presentDocument } from './present-document.js'
import { storeDocuments } from '../../services/documents/store-documents.js'
import { etagWithId, requireMatch, requireNone } from '../../http/entity-tags.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import { resolveAuthor } from '../../services/memories/author.js'
import type { Operation } from '../operation.js'

export const putDocument: Operation<'putDocument'> = async (context, principal, { headers, body, signal }) => {
  const { collection } = body
  requireUnreservedCollection(collection, ['body', 'collection'])
  const draft = {
    docId: body.doc_id,
    data: body.data,
    fleetId: body.fleet_id ?? null,
    path: [],
    requireVersion: (before: DocumentRow | null) => {
      requireNone(headers['If-None-Match'], before)
      requireMatch(headers['If-Match'], before, etagWithId)
    },
  }
  const row = await context.store.transact(principal, async (writer) => {
    const acting = await resolveAuthor(writer, principal, body)
    const at = new Date(context.clock.now())
    const [outcome] = await storeDocuments(writer, acting, [draft], { collection, at, signal })
    if (outcome!.status === 'error') throw outcome!.error
    return outcome!.row
  })
  return { status: 200, headers: { ETag: etagWithId(row) }, body: presentDocument(principal.tenantId, row) }
}
