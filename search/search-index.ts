import type { MemoryStatus, MemoryType } from '../domain/memory.js'
import type { RecallFilter } from '../domain/recall-filter.js'
import type { Space } from '../domain/space.js'
import type { Visibility } from '../domain/visibility.js'
import type { Fault } from '../runtime/outage-reasons.js'

/**
 * What the index holds of a memory or a document. Postgres holds the truth; the index only finds ids. Times are Unix milliseconds.
 */
export interface IndexDocument {
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: Visibility
  /** Null of a document. */
  readonly memoryType: MemoryType | null
  readonly status: MemoryStatus
  readonly runId: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly validStart: number | null
  readonly validEnd: number | null
  /** The analysed text, repetitions kept: one analysis (domain/text) serves both engines and the scoring. */
  readonly terms: readonly string[]
  readonly entityIds: readonly string[]
  /** Top-level scalar entries as `metadataTerm(key, value)`; of a document also its `collectionTerm`. */
  readonly metadataTerms: readonly string[]
  /** Null when the model was away or knows nothing of the text (a zero vector is never stored). */
  readonly vector: Float32Array | null
}

/**
 * One row of the dirty set, read again from Postgres: `document: null` is a tombstone. `seq` comes from the outbox's own
 * sequence and is the external version: an older one than the index holds changes nothing.
 */
export interface IndexChange {
  readonly id: string
  readonly seq: number
  readonly document: IndexDocument | null
}

/** `written` also stands for "something newer is there". `refused` is the item's own fault and counts as a try. */
export type IndexOutcome =
  | { readonly id: string; readonly outcome: 'written' }
  | { readonly id: string; readonly outcome: 'refused'; readonly reason: string }

/** Applied inside every leg, never after it. Metadata equalities stand as `metadataTerm`s. */
export interface SearchFilter extends Omit<RecallFilter, 'metadata'> {
  readonly metadataTerms?: readonly string[] | undefined
}

/** A leg with nothing to look for (no terms, no vector, no entities) is left out by the caller. */
export interface SearchRequest {
  readonly filter: SearchFilter
  /** Hits wanted of each leg. */
  readonly size: number
  readonly keyword?: { readonly terms: readonly string[] }
  readonly vector?: { readonly vector: Float32Array }
  readonly entity?: { readonly entityIds: readonly string[] }
  /** Terms whose document frequency in the tenant is wanted with the answer. */
  readonly frequenciesOf?: readonly string[]
}

export const LEGS = ['vector', 'keyword', 'entity'] as const
export type Leg = (typeof LEGS)[number]

export interface SearchHit {
  readonly id: string
  /**
   * Raw: the engine's own BM25 of the keyword leg, more for better, comparable only within the leg; cosine (-1..1) of the vector leg;
   * number of matching entities of the entity leg.
   */
  readonly score: number
}

export interface SearchAnswer {
  /** Best first; equal scores of the entity leg newest first. A leg that was not asked for is absent. */
  readonly legs: Partial<Record<Leg, readonly SearchHit[]>>
  /** Legs that failed or were late. */
  readonly failed: readonly Leg[]
  /** Null when not asked for or failed. `averageLength` is in terms. */
  readonly statistics: CorpusStatistics | null
  /** The mark of the part that answered, read with the legs; null where there is none or it could not be read. */
  readonly mark: string | null
}

export interface CorpusStatistics {
  readonly documents: number
  readonly averageLength: number
  readonly frequency: ReadonlyMap<string, number>
}

/** A space bound to one tenant: nothing below takes a tenant id, so nothing can forget it. */
export interface TenantIndex {
  /** Throws `UnavailableError` when the engine is away; a leg's own failure is named in `failed`. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
  /**
   * Applies the changes in one bulk call and resolves only once they are searchable. Outcomes come in the order of the
   * changes. Throws `UnavailableError` when the engine is away, refused the call as a whole, or was late.
   */
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<IndexOutcome[]>
  /** How many of these ids have a document that is no tombstone. Throws `UnavailableError` when the engine is away. */
  countOf(ids: readonly string[]): Promise<number>
  /** Searchable documents, tombstones not counted. Throws `UnavailableError` when the engine is away. */
  count(): Promise<number>
}

/** One index in one engine, of both spaces: the port behind which OpenSearch and SQLite stand. */
export interface SearchIndex extends Omit<SpaceIndex, 'for' | 'describe'> {
  /** Of memories, unless documents are asked for. */
  for(tenantId: string, space?: Space): TenantIndex
  describe(space?: Space): Promise<IndexDescription>
}

/** Name and size as shown to operators. */
export interface IndexDescription {
  readonly name: string
  readonly documents: number
}

/** What an engine makes for one space. */
export interface SpaceIndex {
  readonly engine: 'opensearch' | 'sqlite'
  /**
   * Makes the index if it is missing, with this mark in each of its parts. Safe in many processes at once, and again after a failure.
   * For an index that was never made: one that got lost is never made again (README.md, "Marks").
   */
  make(mark: string): Promise<void>
  /**
   * Returns the mark of each part (shard or file), '' for one without; null when the index is not there. Throws `UnavailableError` when
   * nobody can tell, as `incomplete` when no node holds a copy of some part at the moment.
   */
  marks(): Promise<readonly string[] | null>
  /**
   * Gives `next` to every part that has one of these marks. Resolves once searches see it, to false when a part has another mark
   * or none: then it is not the index that this mark was given to.
   */
  remark(known: readonly string[], next: string): Promise<boolean>
  for(tenantId: string): TenantIndex
  /** Physically removes tombstones older than `before` (Unix ms); returns how many. */
  purgeTombstones(before: number): Promise<number>
  /** Lets go of what deleted documents have left behind in logs and segments: after an erasure. Costs I/O. */
  expunge(): Promise<void>
  /** Returns null when the engine answers and takes writes, else what is wrong. Never throws. */
  health(): Promise<Fault | null>
  describe(): Promise<IndexDescription>
  /** Deletes the index with all that it and its lower versions hold, and stops. One that is not there is as good. */
  remove(): Promise<void>
  stop(): Promise<void>
}

/** The collection of a document as one term; no `metadataTerm` is the same. */
export function collectionTerm(collection: string): string {
  return JSON.stringify([collection])
}

/** Metadata equality as one term: keys and values are compared as JSON, so "1" and 1 differ. */
export function metadataTerm(key: string, value: string | number | boolean | null): string {
  return JSON.stringify([key, value])
}
