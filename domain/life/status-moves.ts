import { LIVE_STATUSES, type MemoryStatus } from '../memory.js'

/** Statuses that a caller may set. The service alone sets the others: outdated, conflicted, deleted. */
export type CallerStatus = (typeof LIVE_STATUSES)[number] | 'cancelled' | 'archived'

/** Statuses of memories that a newer memory may supersede. */
export const STANDING_STATUSES = [...LIVE_STATUSES, 'conflicted'] as const

export function isLive(status: MemoryStatus): boolean {
  return (LIVE_STATUSES as readonly MemoryStatus[]).includes(status)
}

export function isStanding(status: MemoryStatus): boolean {
  return (STANDING_STATUSES as readonly MemoryStatus[]).includes(status)
}

/**
 * Returns whether a caller may change the status: among the live statuses, from these to cancelled or archived, and
 * from archived back to active.
 */
export function callerMayMove(from: MemoryStatus, to: CallerStatus): boolean {
  return isLive(from) || (from === 'archived' && to === 'active')
}
