import { type RawBuilder, sql } from 'kysely'
import type { Corpus } from '../domain/corpus.js'
import type { PendingKind } from './schema.js'

interface CorpusRows {
  readonly table: RawBuilder<unknown>
  /** Condition on rows that are in the index. */
  readonly isLive: RawBuilder<unknown>
  /** Kind of index_pending rows that bring their changes into the index. */
  readonly kind: PendingKind
}

/** Table of each corpus. */
export const CORPUS_ROWS: { readonly [K in Corpus]: CorpusRows } = {
  memories: { table: sql`memories`, isLive: sql`status <> 'deleted'`, kind: 'memory' },
  documents: { table: sql`documents`, isLive: sql`true`, kind: 'document' },
}
