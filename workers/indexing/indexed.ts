import type { Space } from '../../domain/space.js'
import type { FailedTry, ReadSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Reader } from '../../store/store.js'
import type { JobContext } from '../jobs.js'
import type { IndexEntry } from './index-entry.js'
import type { Parts } from './parts.js'

/** What the jobs must know of memories, or of documents, to bring them into the indices. */
export interface Indexed<Row extends ReadSeq> {
  readonly space: Space
  /** Of the dirty set's rows: for a change, and for a vector that is to follow. */
  readonly kinds: { readonly change: PendingKind; readonly vector: PendingKind }
  /** Those of the claimed rows that are still this ticket's, in the order of their ids; row and `seq` by one statement. */
  readRows(reader: Reader, kind: PendingKind, ticket: string, ids: readonly string[]): Promise<readonly Row[]>
  entryOf(row: Row): IndexEntry | Promise<IndexEntry>
  /** Live rows of a tenant, as a filling writes them: from after one id until another, in the order of their ids. */
  readLive(reader: Reader, range: { after: string; until: string; limit: number }): Promise<readonly Row[]>
  /** Before the documents are made: adds to the rows what is found in them. */
  prepare?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<Parts<Row>>
  /** Once they are searchable; returns those that fail by their own fault. */
  finish?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<readonly FailedTry[]>
}
