import type { FilterValue } from './filter-values.js'
import type { MemoryStatus, MemoryType } from './memory.js'
import type { Audience } from './visibility.js'

const MINUTE_MS = 60_000

/** Returns the beginning of an instant's minute, in Unix milliseconds. */
export function minuteOf(instant: number): number {
  return Math.floor(instant / MINUTE_MS) * MINUTE_MS
}

/** Narrows a search. Times are Unix milliseconds; an absent member does not filter. */
export interface RecallFilter {
  readonly audience: Audience
  /** Rows whose expires_at is at or before this instant do not match. */
  readonly now: number
  readonly statuses: readonly MemoryStatus[]
  readonly memoryTypes?: readonly MemoryType[] | undefined
  readonly fleetIds?: readonly string[] | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  /** Codes of languages, of which a row has one. PostgreSQL compares them, and an engine their terms among `metadataTerms`. */
  readonly languages?: readonly string[] | undefined
  /** Exclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Matches rows whose validity interval [start, end) contains this instant; an absent bound is open. */
  readonly validAt?: number | undefined
  /** Values that top-level keys must have: PostgreSQL compares them. */
  readonly metadata?: Readonly<Record<string, FilterValue>> | undefined
  /** Terms of them for an engine, of each list of which a row has one (`metadataTerm`). */
  readonly metadataTerms?: readonly (readonly string[])[] | undefined
  /**
   * The fleets in which the audience's agent has `scope_team` rows, for an engine. Outside of the audience's own fleets, it looks
   * for rows of the agent in these alone; most agents have none there.
   */
  readonly authoredFleets?: readonly string[] | undefined
}

/** Returns whether a filter leaves out rows for another reason than who sees them, their status and their expiry. */
export function isNarrowed(filter: RecallFilter): boolean {
  const { memoryTypes, fleetIds, agentId, runId, createdAfter, createdBefore, validAt, metadataTerms = [] } = filter
  const narrowing = [memoryTypes, fleetIds, agentId, runId, createdAfter, createdBefore, validAt]
  return metadataTerms.length > 0 || narrowing.some((value) => value !== undefined)
}
