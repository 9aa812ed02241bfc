import type { Corpus } from '../../domain/corpus.js'
import type { FailedAttempt, RowSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Reader } from '../../store/store.js'
import type { JobContext } from '../jobs.js'
import type { IndexEntry } from './index-entry.js'
import type { StepResult } from './step-result.js'

/** Functions by which the jobs index memories, or documents. */
export interface IndexingSource<Row extends RowSeq> {
  readonly corpus: Corpus
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
  prepare?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<StepResult<Row>>
  /** Runs once the documents are searchable; returns the rows that fail by their own fault. */
  finish?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<readonly FailedAttempt[]>
}
