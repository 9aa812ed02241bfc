import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../../domain/visibility.js'
import type { Writer } from '../store.js'

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

/** Returns whom a link of memory m speaks to, as `entity_links.audience` keeps it; null for a deleted memory's. */
export function linkAudience(): RawBuilder<string | null> {
  return sql<string | null>`(case when m.status = 'deleted' then null when m.visibility = 'scope_org' then 'o'
    when m.visibility = 'scope_agent' then 'a:' || m.agent_id when m.fleet_id is null then 't' else 't:' || m.fleet_id end)`
}

/** The audiences of links that are shared, as against those of one agent, begin here. */
const SHARED = 'o'

/** Is true of links l that come from memories of this audience, deleted ones left out. */
export function linkSeenBy(audience: Audience): RawBuilder<boolean> {
  if (audience.kind === 'nobody') return sql<boolean>`false`
  if (audience.kind === 'own')
    return sql<boolean>`(l.audience is not null and exists (
      select from memories m where m.tenant_id = l.tenant_id and m.id = l.memory_id and m.agent_id = ${audience.agentId}))`
  const { fleets, agentId } = audience
  const own = agentId === null ? [] : [`a:${agentId}`]
  if (fleets === 'all') return sql<boolean>`(l.audience >= ${SHARED} or l.audience = any(${own}::text[]))`
  return sql<boolean>`l.audience = any(${[...own, 'o', 't', ...fleets.map((fleet) => `t:${fleet}`)]}::text[])`
}

/**
 * Returns a table of the earliest link (name, memory_id) of an entity that this audience sees, of one row or none. One index probe for each
 * audience that the caller is of; of all fleets, two for each fleet that has the entity. Whoever sees only what it wrote itself
 * walks the entity's links.
 */
export function earliestLink(tenantId: string, entityId: RawBuilder<unknown>, audience: Audience): RawBuilder<unknown> {
  const links = sql`select l.name, l.memory_id, l.origin, l.role from entity_links l
    where l.tenant_id = ${tenantId} and l.entity_id = ${entityId}`
  const first = sql`order by l.memory_id, l.origin, l.role limit 1`
  if (audience.kind !== 'shared') return sql`(${links} and ${linkSeenBy(audience)} ${first})`
  const { fleets, agentId } = audience
  const own = agentId === null ? [] : [`a:${agentId}`]
  const keys =
    fleets === 'all'
      ? sql`(${sharedAudiences(tenantId, entityId)} union all select unnest(${own}::text[]))`
      : sql`unnest(${[...own, 'o', 't', ...fleets.map((fleet) => `t:${fleet}`)]}::text[])`
  return sql`(select l.* from ${keys} as k(audience)
    cross join lateral (${links} and l.audience = k.audience collate "C" ${first}) l ${first})`
}

/** A loose scan: all links of one fleet are passed over in one probe. */
function sharedAudiences(tenantId: string, entityId: RawBuilder<unknown>): RawBuilder<unknown> {
  const next = (condition: RawBuilder<unknown>) => sql`select l.audience from entity_links l
    where l.tenant_id = ${tenantId} and l.entity_id = ${entityId} and ${condition} order by l.audience limit 1`
  return sql`with recursive shared(audience) as (
      (${next(sql`l.audience >= ${SHARED}`)})
      union all
      select (${next(sql`l.audience > shared.audience`)}) from shared where shared.audience is not null
    ) select audience from shared where audience is not null`
}

/** Has the links of memories that the caller holds speak to whom those speak now. */
export async function moveLinks({ tenantId, db }: Writer, ids: readonly string[]): Promise<void> {
  await sql`
    update entity_links l set audience = ${linkAudience()} from memories m
    where l.tenant_id = ${tenantId} and l.memory_id = any(${ids as string[]}::uuid[]) and m.tenant_id = ${tenantId} and m.id = l.memory_id
      and l.audience is distinct from ${linkAudience()}`.execute(db)
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
