import type { Corpus } from '../../domain/corpus.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { documentEntry, type IndexEntry, memoryEntry } from '../../services/indexing/index-entries.js'
import {
  type IndexDocumentRow,
  readDocumentRows,
  readDocumentSizes,
  readLiveDocuments,
} from '../../store/indexing/indexed-documents.js'
import { type IndexRow, readIndexRows, readLiveRows } from '../../store/indexing/index-rows.js'
import type { StoredText } from '../../store/indexing/analysed-texts.js'
import type { FailedAttempt, RowSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Reader } from '../../store/store.js'
import type { JobContext } from '../context.js'
import { failedAttempt, type StepResult } from '../failures.js'
import type { BatchPayload } from '../job.js'
import { analysedTexts, type ModelTexts } from './analysed-texts.js'
import { linkNames } from './link-names.js'
import { findNearDuplicates } from './near-duplicates.js'

/** Where the rows of a corpus come from, and how they become index documents. */
export interface IndexingSource<Row extends RowSeq> {
  readonly corpus: Corpus
  /** Kinds of index_pending rows: for a change, and for a vector to be added later. */
  readonly kinds: { readonly change: PendingKind; readonly vector: PendingKind }
  /** Splits a batch that may be too large to be in memory at once; one that is absent does not. */
  partsOf?(context: JobContext, batch: BatchPayload): Promise<readonly (readonly string[])[]>
  /**
   * Reads those claimed rows that still belong to this ticket, in the order of their ids; row and `seq` by one
   * statement.
   */
  readRows(reader: Reader, kind: PendingKind, ticket: string, ids: readonly string[]): Promise<readonly Row[]>
  /**
   * Reads live rows of a tenant for a backfill, with ids greater than `after` and up to `until`, in the order of their
   * ids.
   */
  readLive(reader: Reader, range: { after: string; until: string; limit: number }): Promise<readonly Row[]>
  /** Runs before the documents of changes are built: adds to the rows what is found in them. */
  prepare?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<StepResult<Row>>
  entryOf(row: Row): Yielding<IndexEntry>
  /** Returns what ranking reads of these rows, which is stored in the transaction that settles them. */
  analyse?(
    context: JobContext,
    rows: readonly Row[],
    entries: readonly IndexEntry[],
    embedded: readonly ModelTexts[],
  ): Promise<readonly StoredText[]>
  /** Runs once the documents are searchable; returns the rows that fail by their own fault. */
  finish?(context: JobContext, tenantId: string, rows: readonly Row[]): Promise<readonly FailedAttempt[]>
}

/** Links the names in their texts before their documents are built, and finds near duplicates once they are searchable. */
export const MEMORIES: IndexingSource<IndexRow> = {
  corpus: 'memories',
  kinds: { change: 'memory', vector: 'vector' },
  readRows: readIndexRows,
  readLive: readLiveRows,
  prepare: linkNames,
  entryOf: memoryEntry,
  analyse: analysedTexts,
  finish: findNearDuplicates,
}

export const DOCUMENTS: IndexingSource<IndexDocumentRow> = {
  corpus: 'documents',
  kinds: { change: 'document', vector: 'document_vector' },
  partsOf: documentParts,
  readRows: readDocumentRows,
  readLive: readLiveDocuments,
  entryOf: documentEntry,
}

/** Builds the entries of rows; a row whose document cannot be built fails alone. */
export function buildEntries<Row extends RowSeq>(
  source: IndexingSource<Row>,
  rows: readonly Row[],
): Promise<StepResult<IndexEntry>> {
  return new Slices().run(buildInSteps(source, rows))
}

function* buildInSteps<Row extends RowSeq>(
  source: IndexingSource<Row>,
  rows: readonly Row[],
): Yielding<StepResult<IndexEntry>> {
  const done: IndexEntry[] = []
  const failures: FailedAttempt[] = []
  for (const row of rows) {
    try {
      done.push(yield* source.entryOf(row))
    } catch (error) {
      failures.push(failedAttempt(row, error))
    }
    yield
  }
  return { done, failures }
}

/**
 * Bytes of JSON that are read, analysed and embedded at once: parsed it takes up to twenty times as much memory, and
 * its terms as much again.
 */
const PART_BYTES = 4 * 1024 * 1024

/**
 * Splits a batch into parts of few bytes: 250 documents of 256 KiB would take more than a gigabyte. A document that is
 * larger than a part gets one of its own.
 */
async function documentParts({ store }: JobContext, { tenantId, ids }: BatchPayload): Promise<string[][]> {
  const sizes = await store.read({ tenantId }, (reader) => readDocumentSizes(reader, ids))
  const parts: string[][] = []
  let left = 0
  for (const id of ids) {
    const size = sizes.get(id) ?? 0
    if (parts.length === 0 || size > left) {
      parts.push([])
      left = PART_BYTES
    }
    parts.at(-1)!.push(id)
    left -= size
  }
  return parts
}
