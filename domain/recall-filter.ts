import type { MemoryStatus, MemoryType } from './memory.js'
import type { Audience } from './visibility.js'

/** What a recall narrows to. Times are Unix milliseconds; an absent member does not filter. */
export interface RecallFilter {
  readonly audience: Audience
  /** Rows whose expires_at is at or before this instant do not match. */
  readonly now: number
  readonly statuses: readonly MemoryStatus[]
  readonly memoryTypes?: readonly MemoryType[] | undefined
  readonly fleetIds?: readonly string[] | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  /** Exclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Rows whose validity interval [start, end) holds this instant; an absent bound is open. */
  readonly validAt?: number | undefined
  /** Equalities on top-level keys. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined
}
