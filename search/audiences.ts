import type { Audience, VisibleRow } from '../domain/visibility.js'

/** Authors are apart from readers: what an agent wrote for others is theirs too, under `by:`. */
export const ORGANISATION = 'org'
export const EVERY_FLEET = 'team'
export const fleet = (fleetId: string) => `team:${fleetId}`
export const agent = (agentId: string) => `agent:${agentId}`
export const by = (agentId: string) => `by:${agentId}`

/** Returns the audiences under which a row is counted: one that reads it first, then its author where others read it too. */
export function audiencesOfRow({ agentId, fleetId, visibility }: VisibleRow): string[] {
  const author = agentId === null ? [] : [by(agentId)]
  switch (visibility) {
    case 'scope_org':
      return [ORGANISATION, ...author]
    case 'scope_team':
      return [fleetId === null ? EVERY_FLEET : fleet(fleetId), ...author]
    case 'scope_agent':
      return agentId === null ? [] : [agent(agentId)]
  }
}

/** Counts the documents of an audience. */
export interface Totals {
  readonly documents: number
  /** Terms of all of them. */
  readonly terms: number
}

/** A range of audiences; both ends belong to it. */
type AudienceRange = readonly [from: string, to: string]

/**
 * Returns ranges that hold each visible row (`isVisible` in domain/visibility.ts) exactly once and no other. All fleets
 * are one range: `;` follows `:`, and no audience is `team;`.
 */
export function audienceRanges(audience: Audience): AudienceRange[] {
  const one = (name: string): AudienceRange => [name, name]
  switch (audience.kind) {
    case 'nobody':
      return []
    case 'own':
      return [one(agent(audience.agentId)), one(by(audience.agentId))]
    case 'shared':
      return [
        one(ORGANISATION),
        one(EVERY_FLEET),
        ...(audience.agentId === null ? [] : [one(agent(audience.agentId))]),
        ...(audience.fleets === 'all'
          ? [['team:', 'team;'] as const]
          : [...new Set(audience.fleets)].map((fleetId) => one(fleet(fleetId)))),
      ]
  }
}
