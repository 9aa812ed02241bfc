import type { Document } from '../../domain/documents/document.js'
import { type DocumentCursor, queryDocuments } from '../../store/documents/query-documents.js'
import { languageOfTag } from '../../domain/text/language-tag.js'
import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { presentDocument } from './present-document.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listDocuments: Operation<'listDocuments'> = async (context, principal, { query }) => {
  const { collection, fleet_id: fleetId, language, after, limit } = query
  requireUnreservedCollection(collection, ['query', 'collection'])
  const { tenantId } = principal
  const page = readPage<DocumentCursor>(context.cursorSecret, { tenant: tenantId, operation: 'listDocuments' }, query)
  // Names are unique in a collection, so in their order a name alone is a cursor.
  const first = after === undefined ? undefined : { value: after, id: '' }
  const { rows, hasMore } = await context.store.read(principal, (reader) =>
    queryDocuments(reader, {
      collection,
      where: [],
      fleetId,
      language: language === undefined ? undefined : languageOfTag(language)!,
      bounds: boundFleetsOf(principal, fleetId),
      orderBy: 'doc_id',
      order: 'asc',
      after: page.keyset.after ?? first,
      limit,
    }),
  )
  const positionOf = ({ docId, id }: Document) => ({ value: docId, id })
  return page.answer(rows, { positionOf, present: (row) => presentDocument(principal, row), hasMore })
}
