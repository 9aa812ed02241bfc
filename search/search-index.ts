import { createHash } from 'node:crypto'
import { timeValue } from '../domain/filter-values.js'
import type { MemoryType } from '../domain/memory.js'
import type { IndexedMember, Memory, MEMORY_FIELDS } from '../domain/memory-fields.js'
import type { RecallFilter } from '../domain/recall-filter.js'
import type { Corpus } from '../domain/corpus.js'
import type { Fault } from '../runtime/outage-reasons.js'

/** The fields of a memory that the index filters by. */
export type IndexedFields = { readonly [M in IndexedMember]: Indexed<Memory[M]> }
type Indexed<Value> = Value extends Date ? number : Value

/** Says something of each of these fields, by its column: an engine has them all. */
export type IndexedColumns<Said = unknown> = Record<(typeof MEMORY_FIELDS)[IndexedMember]['column'], Said>

/**
 * The index's copy of a memory or a document. Postgres is the source of truth; the index only finds ids. Times are Unix
 * milliseconds.
 */
export interface IndexDocument extends Omit<IndexedFields, 'memoryType'> {
  /** Null for a document. */
  readonly memoryType: MemoryType | null
  /**
   * The terms of the analysed text, with repetitions: one analysis (domain/text) serves both engines and the scoring.
   */
  readonly terms: readonly string[]
  /** Number of its words, which may have several terms each. */
  readonly words: number
  readonly entityIds: readonly string[]
  /**
   * Top-level values and members of lists as `metadataTerm`s, and the `languageTerm`; of a memory a `keyTerm` for each key and its `tagTerm`s; of a
   * document a `keyTerm` for each key with a value, the members of lists as `memberTerm`s, `COMPARED_LIST` of lists that bounds may meet, its `collectionTerm`, `docIdTerm` and
   * `updateTerm`, and `UNLISTED_TERM`.
   */
  readonly metadataTerms: readonly string[]
  /** Null when the model was unavailable or knows nothing of the text (a zero vector is never stored). */
  readonly vector: Float32Array | null
}

/**
 * One changed row, read again from Postgres; `document: null` is a tombstone. `seq` comes from the outbox's own
 * sequence and is the external version: a change that is older than the indexed version has no effect.
 */
export interface IndexChange {
  readonly id: string
  readonly seq: number
  readonly document: IndexDocument | null
}

/**
 * `written` also covers a change that a newer version made obsolete. `refused` is caused by the item itself and counts
 * as an attempt.
 */
export type IndexOutcome =
  | { readonly id: string; readonly outcome: 'written' }
  | { readonly id: string; readonly outcome: 'refused'; readonly reason: string }

/** A search. The caller leaves out a leg that has nothing to search for (no terms, no vector, no entities). */
export interface SearchRequest {
  /** Applied inside every leg, never after it. Of its `expression` and `condition` the engine evaluates the second. */
  readonly filter: RecallFilter
  /** Number of hits to return from each leg. */
  readonly size: number
  readonly keyword?: { readonly terms: readonly string[] }
  readonly vector?: { readonly vector: Float32Array }
  readonly entity?: { readonly entityIds: readonly string[] }
  /**
   * Terms whose document frequency is returned with the answer, counted over the documents that the filter's audience
   * sees, whatever else the filter says.
   */
  readonly frequenciesOf?: readonly string[]
}

export const LEGS = ['vector', 'keyword', 'entity'] as const
export type Leg = (typeof LEGS)[number]

export interface SearchHit {
  readonly id: string
  /**
   * Raw score: the engine's own BM25 for the keyword leg (with OpenSearch the number of matching terms for a caller that reads only its own
   * rows), higher is better, comparable only within the leg; cosine (-1..1) for the vector leg; number of matching entities for the entity leg.
   */
  readonly score: number
}

export interface SearchAnswer {
  /** Best first; equal scores of the entity leg newest first. A leg that was not requested is absent. */
  readonly legs: Partial<Record<Leg, readonly SearchHit[]>>
  /** Legs that failed or timed out. Such a leg may have hits, of a part of the documents. */
  readonly failed: readonly Leg[]
  /** Null when not requested or failed. `averageLength` is in words. */
  readonly statistics: CorpusStatistics | null
  /**
   * The mark of the shard or file that answered, read together with the legs; null when there is none or it could not
   * be read.
   */
  readonly mark: string | null
}

export interface CorpusStatistics {
  readonly documents: number
  readonly averageLength: number
  readonly frequency: ReadonlyMap<string, number>
}

/** A document as it must be in the index. */
export interface ExpectedDocument {
  readonly id: string
  readonly document: IndexDocument
  /** False where it is not known which vector the index must have: then vectors are not compared. */
  readonly comparesVector: boolean
}

/** Says how the index's document differs from the expected one. A tombstone counts as missing. */
export type Comparison = 'equal' | 'missing' | 'differs'

/** The index of one corpus, bound to one tenant: nothing below takes a tenant id, so nothing can forget it. */
export interface TenantIndex {
  /** Throws `UnavailableError` when the engine is unavailable; a leg that failed alone is named in `failed`. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
  /**
   * Applies the changes in one bulk call and resolves once they are searchable. Outcomes are in the order of the
   * changes. Throws `UnavailableError` when the engine is unavailable, refused the whole call, or timed out.
   */
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<IndexOutcome[]>
  /**
   * Returns how many of these ids have a document that is not a tombstone. Throws `UnavailableError` when the engine is
   * unavailable.
   */
  countOf(ids: readonly string[]): Promise<number>
  /**
   * Returns the number of searchable documents, without tombstones. Throws `UnavailableError` when the engine is
   * unavailable.
   */
  count(): Promise<number>
  /**
   * Compares these documents with those in the index, field by field, terms and vector included, and returns the
   * results in their order. Throws `UnavailableError` when the engine is unavailable.
   */
  compare(expected: readonly ExpectedDocument[], signal?: AbortSignal): Promise<Comparison[]>
  /** Returns ids of documents that are not tombstones. Throws `UnavailableError` when the engine is unavailable. */
  listIds(selection: IdSelection, signal?: AbortSignal): Promise<string[]>
}

/** Selects documents of a tenant: a page of them by id, those that are in the index among some, or a random sample. */
export type IdSelection =
  | { readonly after: string; readonly limit: number }
  | { readonly among: readonly string[] }
  | { readonly sample: number; readonly seed: number }

/** One index in one engine, for both corpora: the interface that OpenSearch and SQLite implement. */
export interface SearchIndex extends Omit<CorpusIndex, 'for' | 'describe'> {
  /** Returns the tenant's index of memories, or of the given corpus. */
  for(tenantId: string, corpus?: Corpus): TenantIndex
  describe(corpus?: Corpus): Promise<IndexDescription>
}

/** Name and size, as shown to operators. */
interface IndexDescription {
  readonly name: string
  readonly documents: number
}

/** An engine's index of one corpus. */
export interface CorpusIndex {
  readonly engine: 'opensearch' | 'sqlite'
  /**
   * Creates the index if it is missing, with this mark in each of its parts. Safe to call from many processes at once,
   * and again after a failure. Only for an index that was never created: a lost index is never created again
   * (README.md, "Marks").
   */
  make(mark: string): Promise<void>
  /**
   * Returns the mark of each part (shard or file), '' for one without; null when the index is not there. Throws `UnavailableError` when
   * nobody can tell, as `incomplete` when no node holds a copy of some part at the moment.
   */
  marks(): Promise<readonly string[] | null>
  /**
   * Sets the mark `next` on every part that has one of the marks `known`. Resolves once searches see it; resolves to
   * false when a part has another mark or none, because it is then not the index that was marked.
   */
  remark(known: readonly string[], next: string): Promise<boolean>
  for(tenantId: string): TenantIndex
  /** Physically removes tombstones older than `before` (Unix ms); returns their number. */
  purgeTombstones(before: number): Promise<number>
  /** Purges what deleted documents have left in logs and segments: used after an erasure. Costs I/O. */
  expunge(): Promise<void>
  /** Returns null when the engine answers and accepts writes, else the fault. Never throws. */
  health(): Promise<Fault | null>
  describe(): Promise<IndexDescription>
  /** Deletes the index and its earlier schema versions, and stops. Succeeds when it does not exist. */
  remove(): Promise<void>
  stop(): Promise<void>
}

/** Returns a document's collection as one term, which differs from every `metadataTerm`. */
export function collectionTerm(collection: string): string {
  return JSON.stringify([collection])
}

/** Returns the name of a document as one term, which differs from every other. */
export function docIdTerm(docId: string): string {
  return JSON.stringify({ doc_id: docId })
}

/** Returns when a document was changed (Unix milliseconds) as one term, which differs from every other. These terms sort as the times do. */
export function updateTerm(updatedAt: number): string {
  return JSON.stringify({ updated_at: timeValue(updatedAt) })
}

/** Returns the language of a memory as one term, which differs from every `metadataTerm` and `collectionTerm`. */
export function languageTerm(language: string): string {
  return JSON.stringify({ language })
}

/** The term of a document with so many lists or keys that none of them has terms, but for its single values. */
export const UNLISTED_TERM = '[]'

/**
 * Returns a member of a document's list as one term, which differs from every other: a digest, since each of 4,096 would
 * repeat its key. A list that is too long has the term of `LONG_LIST`.
 */
export function memberTerm(key: string, value: string): string {
  return digestOf(metadataTerm(key, value)).slice(0, MEMBER_TERM_LENGTH)
}

/** 66 bits. */
const MEMBER_TERM_LENGTH = 11

/**
 * Returns a metadata entry as one term. The value is a `fieldValue` or a `timeValue`, so that the terms of one key sort as its numbers and times do: a
 * range of them is a range of terms, for which the key must be short enough to be stored as it is.
 */
export function metadataTerm(key: string, value: string): string {
  const name = JSON.stringify(key)
  return JSON.stringify([name.length <= LONGEST_NAME ? key : [digestOf(key)], value])
}

/** Characters of a key as JSON; a longer one is stored as its digest. */
const LONGEST_NAME = 300

/** Returns the term of a row that has a value other than null at the key. */
export function keyTerm(key: string): string {
  return metadataTerm(key, '')
}

/** Returns a tag as one term. */
export function tagTerm(tag: string): string {
  return JSON.stringify({ tag })
}

/** The term of a memory that has tags. */
export const TAGGED_TERM = JSON.stringify({ tagged: true })

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
