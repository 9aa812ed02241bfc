import { LIVE_STATUSES, type MemoryStatus } from '../memory.js'

/** Statuses that a caller may ask for. The others are the service's: outdated, conflicted, deleted. */
export type CallerStatus = (typeof LIVE_STATUSES)[number] | 'cancelled' | 'archived'

/** Rows that state something now: what a newer memory may displace. */
export const STANDING_STATUSES = [...LIVE_STATUSES, 'conflicted'] as const

export function isLive(status: MemoryStatus): boolean {
  return (LIVE_STATUSES as readonly MemoryStatus[]).includes(status)
}

export function isStanding(status: MemoryStatus): boolean {
  return (STANDING_STATUSES as readonly MemoryStatus[]).includes(status)
}

/** Callers move a row among the live statuses, from these to cancelled or archived, and from archived back to active. */
export function callerMayMove(from: MemoryStatus, to: CallerStatus): boolean {
  return isLive(from) || (from === 'archived' && to === 'active')
}
