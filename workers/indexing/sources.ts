import type { Corpus } from '../../domain/corpus.js'
import { fieldsOf } from '../../domain/documents/fields.js'
import { embeddedTextOf, keywordTextOf } from '../../domain/documents/text.js'
import { blankOf, INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import { analyseYielding } from '../../domain/text/analysis.js'
import { indexedTerms } from '../../domain/text/memory-text.js'
import { createYielder } from '../../runtime/yielder.js'
import {
  collectionTerm,
  metadataTerm,
  type IndexChange,
  type IndexDocument,
  type IndexedFields,
} from '../../search/search-index.js'
import {
  type IndexDocumentRow,
  type IndexedDocument,
  readDocumentRows,
  readDocumentSizes,
  readLiveDocuments,
} from '../../store/documents/indexed-documents.js'
import { type IndexedMemory, type IndexRow, readIndexRows, readLiveRows } from '../../store/indexing/index-rows.js'
import type { FailedAttempt, RowSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Reader } from '../../store/store.js'
import type { JobContext } from '../context.js'
import { failedAttempt, type StepResult } from '../failures.js'
import type { BatchPayload } from '../job.js'
import { type HashedText, memoryText } from './embed-texts.js'
import { linkNames } from './link-names.js'
import { findNearDuplicates } from './near-duplicates.js'

/** A row to be indexed: its document, without the vector, which differs by index, and the text that is embedded. */
export interface IndexEntry extends IndexChange {
  /** Null for a tombstone. */
  readonly text: HashedText | null
}

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
  entryOf(row: Row): IndexEntry | Promise<IndexEntry>
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
export async function buildEntries<Row extends RowSeq>(
  source: IndexingSource<Row>,
  rows: readonly Row[],
): Promise<StepResult<IndexEntry>> {
  const done: IndexEntry[] = []
  const failures: FailedAttempt[] = []
  const yieldIfDue = createYielder()
  for (const row of rows) {
    try {
      done.push(await source.entryOf(row))
    } catch (error) {
      failures.push(failedAttempt(row, error))
    }
    await yieldIfDue()
  }
  return { done, failures }
}

function memoryEntry({ id, seq, memory }: IndexRow): IndexEntry {
  return { id, seq, document: memory && memoryDocument(memory), text: memory && memoryText(memory) }
}

function memoryDocument(memory: IndexedMemory): IndexDocument {
  const document = { ...BLANK }
  for (const member of INDEXED_MEMBERS) {
    const value = memory[member]
    document[member] = TIMES.has(member) && value !== null ? (value as Date).getTime() : value
  }
  return Object.assign(document as object as IndexedFields, {
    terms: indexedTerms(memory),
    entityIds: memory.entityIds,
    metadataTerms: metadataTerms(memory.metadata),
    vector: null,
  })
}

const TIMES: ReadonlySet<string> = new Set(INDEXED_MEMBERS.filter((member) => MEMORY_FIELDS[member].value === 'time'))
const BLANK = blankOf([...INDEXED_MEMBERS, 'terms', 'entityIds', 'metadataTerms', 'vector'])

/** Yields now and then: a text of 256 KiB with only new words takes up to two seconds. */
async function documentEntry({ id, seq, stored }: IndexDocumentRow): Promise<IndexEntry> {
  return {
    id,
    seq,
    document: stored && (await searchedDocument(stored)),
    text: stored && { hash: stored.textHash, text: embeddedTextOf(stored.data) },
  }
}

/**
 * Builds the index document. A document belongs to its fleet, and one without a fleet to everybody: a search that names
 * a fleet finds these two.
 */
async function searchedDocument({ collection, fleetId, data, createdAt }: IndexedDocument): Promise<IndexDocument> {
  return {
    agentId: null,
    fleetId,
    visibility: 'scope_team',
    memoryType: null,
    status: 'active',
    runId: null,
    createdAt: createdAt.getTime(),
    expiresAt: null,
    validStart: null,
    validEnd: null,
    terms: await analyseYielding(keywordTextOf(data), createYielder()),
    entityIds: [],
    metadataTerms: [collectionTerm(collection), ...fieldsOf(data).map(({ key, value }) => metadataTerm(key, value))],
    vector: null,
  }
}

function metadataTerms(metadata: Record<string, unknown>): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => (isScalar(value) ? [metadataTerm(key, value)] : []))
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
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
