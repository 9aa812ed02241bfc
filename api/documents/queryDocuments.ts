import type { Document } from '../../domain/documents/document.js'
import { fieldValue, isScalar } from '../../domain/filter-values.js'
import {
  type DocumentOrder,
  type DocumentCursor,
  queryDocuments as selectDocuments,
} from '../../store/documents/query-documents.js'
import { readDocumentFilter } from '../../services/retrieval/filters.js'
import { readWhere } from '../../services/documents/read-where.js'
import { languageOfTag } from '../../domain/text/language-tag.js'
import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { presentDocument } from './present-document.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const queryDocuments: Operation<'queryDocuments'> = async (context, principal, { body }) => {
  const { collection, where, fleet_id: fleetId, language, order, limit } = body
  requireUnreservedCollection(collection, ['body', 'collection'])
  const { tenantId } = principal
  const page = readPage<DocumentCursor>(context.cursorSecret, { tenant: tenantId, operation: 'queryDocuments' }, body)
  const orderBy = orderOf(body.order_by)
  const expression = body.filter && readDocumentFilter(body.filter)
  const { rows, hasMore } = await context.store.read(principal, (reader) =>
    selectDocuments(reader, {
      collection,
      where: readWhere(where),
      expression,
      fleetId,
      language: language === undefined ? undefined : languageOfTag(language)!,
      bounds: boundFleetsOf(principal, fleetId),
      orderBy,
      order,
      after: page.keyset.after,
      limit,
    }),
  )
  const positionOf = (row: Document) => ({ value: valueOf(row, orderBy), id: row.id })
  return page.answer(rows, { positionOf, present: (row) => presentDocument(principal, row), hasMore })
}

const BUILT_IN_ORDERS = ['created_at', 'updated_at', 'doc_id'] as const

function orderOf(name: string): DocumentOrder {
  return BUILT_IN_ORDERS.find((known) => known === name) ?? { key: name }
}

function valueOf({ docId, data, createdAt, updatedAt }: Document, orderBy: DocumentOrder): string | null {
  if (typeof orderBy === 'string')
    return { doc_id: docId, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() }[orderBy]
  const value = Object.hasOwn(data, orderBy.key) ? data[orderBy.key] : undefined
  return isScalar(value) ? fieldValue(value) : null
}
