import type { Space } from '../../domain/space.js'
import type { FailedTry, ReadSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Reader } from '../../store/store.js'
import type { JobContext } from '../jobs.js'
import type { IndexEntry } from './index-entry.js'
import type { Parts } from './parts.js'

/** Functions by which the jobs index memories, or documents. */
export interface Indexed<Row extends ReadSeq> {
  readonly space: Space
  /** Kinds of index_pending rows: for a change, and for a vector to be added later. */
  readonly kinds: { readonly change: PendingKind; readonly vector: PendingKind }
  /**
   * Reads those claimed rows that still belong to this ticket, in the order of their ids; row and `seq` by one
   * statement.
   */
  readRows(reader: Reader, kind: PendingKind, ticket: string, ids: readonly string[]): Promise<readonly Row[]>
  entryOf(row: Row): IndexEntry | Promise<IndexEntry>
  /**
   * Reads live rows of a tenant for a backfill, with ids greater than `after` and up to `until`, in the order of their
   * ids.
   */
  readLive(reader: Reader, range: { after: string; until: string; limit: number }): Promise<readonly Row[]>
  /** Runs before the documents are built: adds to the rows what is found in them. */
  prepare?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<Parts<Row>>
  /** Runs once the documents are searchable; returns the rows that fail by their own fault. */
  finish?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<readonly FailedTry[]>
}
