import { type RawBuilder, sql } from 'kysely'
import {
  type Audience,
  type AuthoringAudience,
  mayHaveRowsElsewhere,
  type SharedAudience,
} from '../../domain/visibility.js'
import type { Reader, Writer } from '../store.js'

/**
 * Returns the visibility rule (domain/visibility.ts) as a SQL condition on a table with this alias, which has agent_id,
 * fleet_id and visibility.
 */
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
    or ${own})`
}

/**
 * Returns the fleets in which an agent has `scope_team` memories: one probe of the sums by agent, and of the pending
 * deltas, however many memories there are.
 */
export async function readAuthoredFleets({ tenantId, db }: Reader, agentId: string): Promise<string[]> {
  const { rows } = await sql<{ fleets: string[] }>`select ${authoredFleets(tenantId, agentId)} as fleets`.execute(db)
  return rows[0]!.fleets
}

function authoredFleets(tenantId: string, agentId: string): RawBuilder<string[]> {
  const ofAgent = sql`m.tenant_id = ${tenantId} and m.agent_id = ${agentId} and m.visibility = 'scope_team'
    and m.fleet_id is not null and m.status <> 'deleted'`
  return sql<string[]>`array(
    select m.fleet_id from memory_counters_by_agent m where ${ofAgent} and m.count > 0
    union select m.fleet_id from memory_counter_deltas m where ${ofAgent} and m.delta > 0)`
}

/** Returns the audience of a link of memory m, as stored in `entity_links.audience`; null for a deleted memory's. */
export function linkAudience(): RawBuilder<string | null> {
  return sql<string | null>`(case when m.status = 'deleted' then null when m.visibility = 'scope_org' then 'o'
    when m.visibility = 'scope_agent' then 'a:' || m.agent_id when m.fleet_id is null then 't' else 't:' || m.fleet_id end)`
}

/** First value, in sort order, of the audiences of shared links; those of one agent's links sort before it. */
const FIRST_SHARED = 'o'

/**
 * Selects links, out of `links`, of memories that the audience's agent wrote in other fleets; `rest` follows the conditions for
 * each fleet. PostgreSQL reads the fleets once for a statement, and for an agent without any it reads no link.
 */
function linksElsewhere(
  tenantId: string,
  links: RawBuilder<unknown>,
  { agentId, fleets }: AuthoringAudience,
  rest = sql``,
): RawBuilder<unknown> {
  const elsewhere = sql`array(select 't:' || f from unnest(${authoredFleets(tenantId, agentId)}) as f
    where f <> all(${fleets as string[]}::text[]))`
  const isOwn = sql`exists (select from memories m where m.tenant_id = l.tenant_id and m.id = l.memory_id
    and m.agent_id = ${agentId} offset 0)`
  return sql`select l.* from unnest(${elsewhere}) as k(audience)
    cross join lateral (${links} and l.audience = k.audience collate "C" and ${isOwn} ${rest}) l`
}

/** Selects the links of an entity that this audience sees. */
export function seenLinks(tenantId: string, entityId: RawBuilder<unknown>, audience: Audience): RawBuilder<unknown> {
  const links = linksOf(tenantId, entityId)
  const shared = sql`${links} and ${linkSeenBy(audience)}`
  return mayHaveRowsElsewhere(audience)
    ? sql`(${shared} union all ${linksElsewhere(tenantId, links, audience)})`
    : sql`(${shared})`
}

function linksOf(tenantId: string, entityId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select l.name, l.memory_id, l.entity_type, l.origin, l.role from entity_links l
    where l.tenant_id = ${tenantId} and l.entity_id = ${entityId}`
}

/** Returns whether the audience's agent wrote in another fleet; PostgreSQL reads it once for a statement. */
export function hasRowsElsewhere(tenantId: string, { agentId, fleets }: AuthoringAudience): RawBuilder<boolean> {
  return sql<boolean>`not (select ${authoredFleets(tenantId, agentId)} <@ ${fleets as string[]}::text[])`
}

/**
 * Returns the condition that a link l belongs to a memory that this audience sees, but for what its agent wrote in other
 * fleets; false for deleted memories.
 */
function linkSeenBy(audience: Audience): RawBuilder<boolean> {
  if (audience.kind === 'nobody') return sql<boolean>`false`
  if (audience.kind === 'own')
    return sql<boolean>`(l.audience is not null and exists (
      select from memories m where m.tenant_id = l.tenant_id and m.id = l.memory_id and m.agent_id = ${audience.agentId}))`
  if (audience.fleets === 'all')
    return sql<boolean>`(l.audience >= ${FIRST_SHARED} or l.audience = any(${ownKeys(audience)}::text[]))`
  return sql<boolean>`l.audience = any(${[...ownKeys(audience), ...sharedKeys(audience.fleets)]}::text[])`
}

function ownKeys({ agentId }: SharedAudience): string[] {
  return agentId === null ? [] : [`a:${agentId}`]
}

function sharedKeys(fleets: readonly string[]): string[] {
  return ['o', 't', ...fleets.map((fleet) => `t:${fleet}`)]
}

/**
 * Selects the memory_id of links of an entity that this audience sees, but for what its agent wrote in other fleets, in no order and at most `limit`. Reads no other
 * links and no more than twice the limit, with one index probe for each of the caller's audiences.
 */
export function linksSeenBy(
  tenantId: string,
  entityId: RawBuilder<unknown>,
  audience: SharedAudience,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const links = (condition: RawBuilder<unknown>) => sql`(select l.memory_id from entity_links l
    where l.tenant_id = ${tenantId} and l.entity_id = ${entityId} and ${condition} order by l.audience limit ${limit})`
  const ofKeys = (
    keys: readonly string[],
  ) => sql`select l.memory_id from unnest(${keys as string[]}::text[]) as k(audience)
    cross join lateral ${links(sql`l.audience between k.audience and k.audience`)} l`
  if (audience.fleets !== 'all')
    return sql`${ofKeys([...ownKeys(audience), ...sharedKeys(audience.fleets)])} limit ${limit}`
  return sql`select memory_id from (${links(sql`l.audience >= ${FIRST_SHARED}`)} union all ${ofKeys(ownKeys(audience))}) l limit ${limit}`
}

/**
 * Returns a table of the earliest link (name, memory_id) of an entity that this audience sees, with one row or none.
 * Takes one index probe for each of the caller's audiences; for all fleets, two for each fleet that has the entity. For
 * an audience that sees only what it wrote itself it scans the entity's links; for an agent that wrote in other fleets, those
 * of these fleets.
 */
export function earliestLink(tenantId: string, entityId: RawBuilder<unknown>, audience: Audience): RawBuilder<unknown> {
  const links = linksOf(tenantId, entityId)
  const first = sql`order by l.memory_id, l.origin, l.role limit 1`
  if (audience.kind !== 'shared') return sql`(${links} and ${linkSeenBy(audience)} ${first})`
  const own = ownKeys(audience)
  const keys =
    audience.fleets === 'all'
      ? sql`(${sharedAudiences(tenantId, entityId)} union all select unnest(${own}::text[]))`
      : sql`unnest(${[...own, ...sharedKeys(audience.fleets)]}::text[])`
  const ofKeys = sql`select l.* from ${keys} as k(audience)
    cross join lateral (${links} and l.audience = k.audience collate "C" ${first}) l`
  if (!mayHaveRowsElsewhere(audience)) return sql`(${ofKeys} ${first})`
  return sql`(select l.* from (${ofKeys} union all ${linksElsewhere(tenantId, links, audience, first)}) l ${first})`
}

/** Scans the index loosely: skips all links of one fleet in one probe. */
function sharedAudiences(tenantId: string, entityId: RawBuilder<unknown>): RawBuilder<unknown> {
  const next = (condition: RawBuilder<unknown>) => sql`select l.audience from entity_links l
    where l.tenant_id = ${tenantId} and l.entity_id = ${entityId} and ${condition} order by l.audience limit 1`
  return sql`with recursive shared(audience) as (
      (${next(sql`l.audience >= ${FIRST_SHARED}`)})
      union all
      select (${next(sql`l.audience > shared.audience`)}) from shared where shared.audience is not null
    ) select audience from shared where audience is not null`
}

/** Updates the audience of the links of memories that the caller has locked. */
export async function updateLinkAudiences({ tenantId, db }: Writer, ids: readonly string[]): Promise<void> {
  await sql`
    update entity_links l set audience = ${linkAudience()} from memories m
    where l.tenant_id = ${tenantId} and l.memory_id = any(${ids as string[]}::uuid[]) and m.tenant_id = ${tenantId} and m.id = l.memory_id
      and l.audience is distinct from ${linkAudience()}`.execute(db)
}

/**
 * Returns the condition that rows of this alias have the same audience as another memory, given by values or by
 * columns.
 */
export function hasSameAudience(
  alias: string,
  other: { readonly visibility: unknown; readonly fleetId: unknown; readonly agentId: unknown },
): RawBuilder<boolean> {
  const m = sql.ref(alias)
  return sql<boolean>`(${m}.visibility = ${other.visibility} and (${m}.visibility = 'scope_org'
    or (${m}.visibility = 'scope_team' and ${m}.fleet_id is not distinct from ${other.fleetId})
    or (${m}.visibility = 'scope_agent' and ${m}.agent_id = ${other.agentId})))`
}
