import type { FilterExpression } from './filters/expression.js'
import type { IndexCondition } from './filters/index-condition.js'
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
  /** The moment at which rows are taken as they were then; absent for the present ones. */
  readonly knownAt?: number | undefined
  /** Rows whose expires_at is at or before this instant do not match. */
  readonly now: number
  readonly statuses: readonly MemoryStatus[]
  readonly memoryTypes?: readonly MemoryType[] | undefined
  readonly fleetIds?: readonly string[] | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  /** Codes of languages, of which a row has one. PostgreSQL compares them, and `condition` has their terms for an engine. */
  readonly languages?: readonly string[] | undefined
  /** Exclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Matches rows whose validity interval [start, end) contains this instant; an absent bound is open. */
  readonly validAt?: number | undefined
  /** Is what else a row must meet, as PostgreSQL evaluates it. */
  readonly expression?: FilterExpression | undefined
  /** Is the expression as an engine evaluates it, with the terms of `languages`: every row that meets those meets it too. */
  readonly condition?: IndexCondition | undefined
  /**
   * The fleets in which the audience's agent has `scope_team` rows, for an engine. Outside of the audience's own fleets, it looks
   * for rows of the agent in these alone; most agents have none there.
   */
  readonly authoredFleets?: readonly string[] | undefined
}

/** Says who sees rows, and at which moment they are taken. */
export type Viewing = Pick<RecallFilter, 'audience' | 'knownAt'>

/** Returns whether a filter leaves out rows for another reason than who sees them, their status and their expiry. */
export function isNarrowed(filter: RecallFilter): boolean {
  const { memoryTypes, fleetIds, agentId, runId, createdAfter, createdBefore, validAt, condition } = filter
  const narrowing = [memoryTypes, fleetIds, agentId, runId, createdAfter, createdBefore, validAt, condition]
  return narrowing.some((value) => value !== undefined)
}
