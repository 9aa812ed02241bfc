import { type RawBuilder, sql } from 'kysely'
import type { Space } from '../domain/space.js'
import type { PendingKind } from './schema.js'

interface SpaceRows {
  readonly table: RawBuilder<unknown>
  /** Condition on rows that are in the index. */
  readonly isLive: RawBuilder<unknown>
  /** Kind of index_pending rows that bring their changes into the index. */
  readonly kind: PendingKind
}

/** Table of each corpus. */
export const ROWS_OF: { readonly [K in Space]: SpaceRows } = {
  memories: { table: sql`memories`, isLive: sql`status <> 'deleted'`, kind: 'memory' },
  documents: { table: sql`documents`, isLive: sql`true`, kind: 'document' },
}
