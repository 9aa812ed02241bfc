import { type RawBuilder, sql } from 'kysely'
import type { Space } from '../domain/space.js'
import type { PendingKind } from './schema.js'

interface SpaceRows {
  readonly table: RawBuilder<unknown>
  /** Which of them the index holds. */
  readonly isLive: RawBuilder<unknown>
  /** What brings their changes into the index. */
  readonly kind: PendingKind
}

/** Where the rows of each space are. */
export const ROWS_OF: { readonly [K in Space]: SpaceRows } = {
  memories: { table: sql`memories`, isLive: sql`status <> 'deleted'`, kind: 'memory' },
  documents: { table: sql`documents`, isLive: sql`true`, kind: 'document' },
}
