import { embeddedTextOf, keywordTextOf } from '../../domain/documents/text.js'
import { fieldsOf } from '../../domain/documents/fields.js'
import { analyseYielding } from '../../domain/text/analysis.js'
import { embeddedText, indexedTerms } from '../../domain/text/memory-text.js'
import { createYielder } from '../../runtime/yielder.js'
import { collectionTerm, metadataTerm, type IndexChange, type IndexDocument } from '../../search/search-index.js'
import { usableVector } from '../../search/vectors.js'
import type { IndexedMemory, IndexRow } from '../../store/indexing/index-rows.js'
import type { IndexDocumentRow, IndexedDocument } from '../../store/documents/indexed-documents.js'
import type { HashedText } from './embed-texts.js'

/** A row to be indexed: its document, without the vector, which differs by index, and the text that is embedded. */
export interface IndexEntry extends IndexChange {
  /** Null for a tombstone. */
  readonly text: HashedText | null
}

export function memoryEntry({ id, seq, memory }: IndexRow): IndexEntry {
  return { id, seq, document: memory && memoryDocument(memory), text: memory && memoryText(memory) }
}

export function memoryText(memory: Pick<IndexedMemory, 'textHash' | 'title' | 'content'>): HashedText {
  return { hash: memory.textHash, text: embeddedText(memory) }
}

function memoryDocument(memory: IndexedMemory): IndexDocument {
  return {
    agentId: memory.agentId,
    fleetId: memory.fleetId,
    visibility: memory.visibility,
    memoryType: memory.memoryType,
    status: memory.status,
    runId: memory.runId,
    createdAt: memory.createdAt.getTime(),
    expiresAt: memory.expiresAt?.getTime() ?? null,
    validStart: memory.validStart?.getTime() ?? null,
    validEnd: memory.validEnd?.getTime() ?? null,
    terms: indexedTerms(memory),
    entityIds: memory.entityIds,
    metadataTerms: metadataTerms(memory.metadata),
    vector: null,
  }
}

/** Yields now and then: a text of 256 KiB with only new words takes up to two seconds. */
export async function documentEntry({ id, seq, stored }: IndexDocumentRow): Promise<IndexEntry> {
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

/** Returns the change for an index with these vectors. */
export function withVector({ id, seq, document }: IndexEntry, vector: Float32Array | null): IndexChange {
  return { id, seq, document: document && { ...document, vector: usableVector(vector) } }
}

function metadataTerms(metadata: Record<string, unknown>): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => (isScalar(value) ? [metadataTerm(key, value)] : []))
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
