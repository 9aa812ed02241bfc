import type { CandidateRecord, ForgeResult } from './run-record.js'
import type { Part } from './traces.js'

/** Parts that a run did not get to, and skills beyond its writes: the next one takes them first. */
export interface LeftWork {
  /** Returns the parts in the order in which they have their turn: those that were left, the longest ago first, then the others. */
  inTurn(parts: readonly Part[]): Part[]
  /** Returns true for skills that were left out because the writes were used up. */
  isDeferred(part: Part, skill: { readonly fingerprint: string }): boolean
  /** Returns the lines of the record of skills of a part that were left out, which a run that leaves the part repeats. */
  deferredOf(part: Part): readonly CandidateRecord[]
}

/**
 * Reads what the tenant's last run left. A run lists the parts that it leaves in the order in which they would have come, so that
 * each part comes to its turn, however few a run gets to.
 */
export function leftBy({ parts = [], candidates = [] }: ForgeResult): LeftWork {
  const places = new Map(parts.filter(({ state }) => state === 'left').map(({ fleet_id }, place) => [fleet_id, place]))
  const placeOf = ({ fleetId }: Part) => places.get(fleetId) ?? places.size
  const deferred = candidates.filter(({ outcome }) => outcome === 'deferred')
  const keys = new Set(deferred.map(({ fleet_id, fingerprint }) => keyOfSkill(fleet_id, fingerprint)))
  return {
    inTurn: (given) => given.toSorted((a, b) => placeOf(a) - placeOf(b)),
    isDeferred: ({ fleetId }, { fingerprint }) => keys.has(keyOfSkill(fleetId, fingerprint)),
    deferredOf: ({ fleetId }) => deferred.filter(({ fleet_id }) => fleet_id === fleetId),
  }
}

/** Returns a key for a skill within a fleet, or within the tenant where `fleetId` is null. */
export function keyOfSkill(fleetId: string | null, fingerprint: string): string {
  return `${fingerprint} ${fleetId ?? ''}`
}
