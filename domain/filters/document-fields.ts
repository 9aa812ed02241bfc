import type { DocumentColumn } from './expression.js'
import { type ColumnRule, type FilterFields, NAME } from './read-filter.js'

/** The fields of a document that a filter may name. */
export const DOCUMENT_FILTER_FIELDS = {
  keysOf: 'data',
  columns: {
    doc_id: NAME,
    fleet_id: NAME,
    created_at: { is: 'time' },
    updated_at: { is: 'time' },
  } satisfies Record<DocumentColumn, ColumnRule>,
} as const satisfies FilterFields
