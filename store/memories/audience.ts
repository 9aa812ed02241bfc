import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../../domain/visibility.js'

/** The visibility rule (domain/visibility.ts) as SQL over a table of this alias with agent_id, fleet_id and visibility. */
export function visibleTo(audience: Audience, alias = 'm'): RawBuilder<boolean> {
  const m = sql.ref(alias)
  if (audience.kind === 'nobody') return sql<boolean>`false`
  if (audience.kind === 'own') return sql<boolean>`${m}.agent_id = ${audience.agentId}`
  const inFleet =
    audience.fleets === 'all'
      ? sql<boolean>`true`
      : sql<boolean>`(${m}.fleet_id is null or ${m}.fleet_id = any(${audience.fleets as string[]}::text[]))`
  const own = audience.agentId === null ? sql<boolean>`false` : sql<boolean>`${m}.agent_id = ${audience.agentId}`
  return sql<boolean>`(${m}.visibility = 'scope_org'
    or (${m}.visibility = 'scope_team' and ${inFleet})
    or (${m}.visibility = 'scope_agent' and ${own}))`
}

/** Whether rows of this alias speak to the same readers as another memory, given by values or by columns. */
export function ofAudience(
  alias: string,
  other: { readonly visibility: unknown; readonly fleetId: unknown; readonly agentId: unknown },
): RawBuilder<boolean> {
  const m = sql.ref(alias)
  return sql<boolean>`(${m}.visibility = ${other.visibility} and (${m}.visibility = 'scope_org'
    or (${m}.visibility = 'scope_team' and ${m}.fleet_id is not distinct from ${other.fleetId})
    or (${m}.visibility = 'scope_agent' and ${m}.agent_id = ${other.agentId})))`
}
