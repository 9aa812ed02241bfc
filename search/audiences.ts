import type { Audience, VisibleRow } from '../domain/visibility.js'

export const ORGANISATION = 'org'
export const EVERY_FLEET = 'team'
export const fleet = (fleetId: string) => `team:${fleetId}`
export const agent = (agentId: string) => `agent:${agentId}`

/**
 * Returns what an agent wrote for others in a fleet, or (null) for all fleets: a part of what those read, counted once more
 * for its author. The agent is quoted, so that no id contains where another one ends.
 */
const authored = (agentId: string, fleetId: string | null) =>
  `by:${JSON.stringify(agentId)}${fleetId === null ? '' : `/${fleetId}`}`

/** Returns the audience that reads a row first; null where nobody does. */
export function firstAudienceOf({ agentId, fleetId, visibility }: VisibleRow): string | null {
  switch (visibility) {
    case 'scope_org':
      return ORGANISATION
    case 'scope_team':
      return fleetId === null ? EVERY_FLEET : fleet(fleetId)
    case 'scope_agent':
      return agentId === null ? null : agent(agentId)
  }
}

/** Returns the audiences under which a row is counted: one that reads it first, then its author where others read it too. */
export function audiencesOfRow(row: VisibleRow): string[] {
  const first = firstAudienceOf(row)
  if (first === null) return []
  const { agentId, fleetId, visibility } = row
  if (agentId === null || visibility === 'scope_agent') return [first]
  return [first, authored(agentId, visibility === 'scope_team' ? fleetId : null)]
}

/** Counts the documents of an audience. */
export interface Totals {
  readonly documents: number
  /** Words of all of them. */
  readonly words: number
}

/** A range of audiences; both ends belong to it. */
export type AudienceRange = readonly [from: string, to: string]

/**
 * Returns ranges that hold each visible row (`isVisible` in domain/visibility.ts) exactly once and no other; `elsewhere`
 * are the other fleets in which its agent wrote (`fleetsElsewhere`). All fleets are one range: `;` follows `:`, and no
 * audience is `team;`. So is all that an agent wrote for others: `0` follows `/`.
 */
export function audienceRanges(audience: Audience, elsewhere: readonly string[]): AudienceRange[] {
  const one = (name: string): AudienceRange => [name, name]
  switch (audience.kind) {
    case 'nobody':
      return []
    case 'own':
      return [one(agent(audience.agentId)), [authored(audience.agentId, null), `${authored(audience.agentId, null)}0`]]
    case 'shared': {
      const { agentId } = audience
      return [
        one(ORGANISATION),
        one(EVERY_FLEET),
        ...(agentId === null ? [] : [one(agent(agentId))]),
        ...(agentId === null ? [] : elsewhere.map((fleetId) => one(authored(agentId, fleetId)))),
        ...(audience.fleets === 'all'
          ? [['team:', 'team;'] as const]
          : [...new Set(audience.fleets)].map((fleetId) => one(fleet(fleetId)))),
      ]
    }
  }
}
