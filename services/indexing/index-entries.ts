import { fieldsOf } from '../../domain/documents/fields.js'
import { COMPARED_LIST, membersOf, MOST_INDEXED_MEMBERS } from '../../domain/documents/members.js'
import type { DocumentData } from '../../domain/documents/document.js'
import { embeddedTextOf, keywordTextOf } from '../../domain/documents/text.js'
import { fieldValue, foundBy, type Scalar, timeValue } from '../../domain/filter-values.js'
import { comparedTime } from '../../domain/filters/compared-time.js'
import { blankOf, INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import { analyseInSteps } from '../../domain/text/analysis.js'
import type { Language } from '../../domain/text/language.js'
import { embeddedText, indexedTerms } from '../../domain/text/memory-text.js'
import type { Yielding } from '../../domain/yielding.js'
import {
  docIdTerm,
  updateTerm,
  collectionTerm,
  keyTerm,
  languageTerm,
  memberTerm,
  metadataTerm,
  TAGGED_TERM,
  tagTerm,
  UNLISTED_TERM,
  type IndexChange,
  type IndexDocument,
  type IndexedFields,
} from '../../search/search-index.js'
import type { IndexDocumentRow, IndexedDocument } from '../../store/indexing/indexed-documents.js'
import type { IndexedMemory, IndexRow } from '../../store/indexing/index-rows.js'

/** Embedded text of a memory or a document, with the key of its vectors. */
export interface HashedText {
  readonly hash: Buffer
  readonly text: string
}

/** A row to be indexed: its document, without the vector, which differs by index, and the text that is embedded. */
export interface IndexEntry extends IndexChange {
  /** Null for a tombstone. */
  readonly text: HashedText | null
}

export function memoryText(memory: Pick<IndexedMemory, 'textHash' | 'title' | 'content'>): HashedText {
  return { hash: memory.textHash, text: embeddedText(memory) }
}

export function* memoryEntry({ id, seq, memory }: IndexRow): Yielding<IndexEntry> {
  return { id, seq, document: memory && (yield* memoryDocument(memory)), text: memory && memoryText(memory) }
}

function* memoryDocument(memory: IndexedMemory): Yielding<IndexDocument> {
  const document = { ...BLANK }
  for (const member of INDEXED_MEMBERS) {
    const value = memory[member]
    document[member] = TIMES.has(member) && value !== null ? (value as Date).getTime() : value
  }
  return Object.assign(document as object as IndexedFields, {
    ...(yield* indexedTerms(memory)),
    entityIds: memory.entityIds,
    metadataTerms: metadataTerms(memory),
    vector: null,
  })
}

const TIMES: ReadonlySet<string> = new Set(INDEXED_MEMBERS.filter((member) => MEMORY_FIELDS[member].value === 'time'))
const BLANK = blankOf([...INDEXED_MEMBERS, 'terms', 'words', 'entityIds', 'metadataTerms', 'vector'])

/** A text of 256 KiB with only new words takes up to two seconds. */
export function* documentEntry({ id, seq, stored }: IndexDocumentRow): Yielding<IndexEntry> {
  return {
    id,
    seq,
    document: stored && (yield* searchedDocument(stored)),
    text: stored && { hash: stored.textHash, text: embeddedTextOf(stored.data) },
  }
}

/**
 * Builds the index document. A document belongs to its fleet, and one without a fleet to everybody: a search that names
 * a fleet finds these two.
 */
function* searchedDocument({
  collection,
  docId,
  fleetId,
  data,
  language,
  createdAt,
  updatedAt,
}: IndexedDocument): Yielding<IndexDocument> {
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
    ...(yield* analyseInSteps(keywordTextOf(data), language)),
    entityIds: [],
    metadataTerms: [
      collectionTerm(collection),
      docIdTerm(docId),
      updateTerm(updatedAt.getTime()),
      ...languageTerms(language),
      ...(yield* fieldTerms(data)),
    ],
    vector: null,
  }
}

/** Returns the terms that a filter finds a document's data by. Lists may have `MOST_INDEXED_MEMBERS` of them. */
function* fieldTerms(data: DocumentData): Yielding<string[]> {
  const terms = fieldsOf(data).map(({ key, value }) => metadataTerm(key, value))
  const { rows, stored } = membersOf(data, MOST_INDEXED_MEMBERS)
  const entries = Object.entries(data).filter(([, value]) => value !== null)
  if (!stored || entries.length > MOST_INDEXED_MEMBERS) return [...terms, UNLISTED_TERM]
  for (const [key, value] of entries) {
    const instant = instantOf(value)
    terms.push(keyTerm(key), ...(instant === null ? [] : [metadataTerm(key, timeValue(instant))]))
    if (Array.isArray(value) && value.some(isCompared)) terms.push(memberTerm(key, COMPARED_LIST))
    yield
  }
  for (const { key, value } of rows) {
    terms.push(memberTerm(key, value))
    yield
  }
  return terms
}

function metadataTerms({ metadata, systemMetadata, language }: IndexedMemory): string[] {
  const terms = Object.entries(metadata).flatMap(([key, value]) => [
    ...(value === null ? [] : [keyTerm(key)]),
    ...foundBy(value).flatMap((one) => valueTerms(key, one)),
  ])
  const tags = (systemMetadata.tags ?? []) as readonly string[]
  return [...terms, ...(tags.length > 0 ? [TAGGED_TERM] : []), ...tags.map(tagTerm), ...languageTerms(language)]
}

/** Returns the Unix milliseconds of a text that is a time; null for every other value. */
function instantOf(value: unknown): number | null {
  return typeof value === 'string' ? comparedTime(value) : null
}

/** Returns true for a value that bounds compare. */
function isCompared(value: unknown): boolean {
  return typeof value === 'number' || instantOf(value) !== null
}

/** Returns the term of a value, and that of the time that a text is. */
function valueTerms(key: string, value: Scalar): string[] {
  const instant = instantOf(value)
  return [metadataTerm(key, fieldValue(value)), ...(instant === null ? [] : [metadataTerm(key, timeValue(instant))])]
}

function languageTerms(language: Language | null): string[] {
  return language === null ? [] : [languageTerm(language)]
}
