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
