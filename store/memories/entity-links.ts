import { sql } from 'kysely'
import type { EntityLink, LinkOrigin } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { uuids } from '../row-of.js'
import type { Reader } from '../store.js'
import { earliestLink } from './audience.js'

interface LinkRow extends EntityLink {
  readonly memoryId: string
}

/**
 * Returns the links of these memories to entities, by the memory's id: callers' first, and one for each role. A link that a
 * caller gave too counts as the caller's, and one that the model inferred too as the model's, which says more. An entity has
 * the name of the earliest link that this audience sees; one that it sees in no other memory, because this one is deleted, the
 * name in this memory. Does not check whether the audience may see the memories.
 */
export async function readEntityLinks(
  { tenantId, db }: Reader,
  memoryIds: readonly string[],
  audience: Audience,
): Promise<Map<string, EntityLink[]>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<LinkRow>`
    with links as materialized (
      select l.* from unnest(${uuids(memoryIds)}) as asked(id) cross join lateral (
        select * from entity_links l where l.tenant_id = ${tenantId} and l.memory_id = asked.id offset 0
      ) l
    ), spelt as materialized (
      select entities.id, l.name from (select distinct entity_id as id from links) entities
        cross join lateral ${earliestLink(tenantId, sql`entities.id`, audience)} l
    )
    select l.memory_id as "memoryId", l.entity_id as "entityId", coalesce(spelt.name, l.name) as name,
      l.entity_type as "entityType", nullif(l.role, '') as role, l.origin
    from links l left join spelt on spelt.id = l.entity_id`.execute(db)
  const byMemory = new Map<string, EntityLink[]>()
  for (const { memoryId, ...link } of rows) {
    const links = byMemory.get(memoryId)
    if (links) links.push(link)
    else byMemory.set(memoryId, [link])
  }
  for (const [memoryId, links] of byMemory) byMemory.set(memoryId, inShownOrder(links))
  return byMemory
}

/**
 * Leaves out what a link of a better origin says too, and sorts the others by origin, name and role. Compares names in lower case
 * instead of their keys, which would take 40 ms for the 12,000 links that an answer may have.
 */
function inShownOrder(links: readonly EntityLink[]): EntityLink[] {
  const best = new Map<string, LinkOrigin>()
  for (const { entityId, origin } of links) {
    const known = best.get(entityId)
    if (known === undefined || PRECEDENCE[origin] < PRECEDENCE[known]) best.set(entityId, origin)
  }
  return links
    .filter(({ entityId, origin }) => origin === 'caller' || origin === best.get(entityId))
    .map((link) => ({ link, key: [link.origin, link.name.toLowerCase(), link.role ?? '', link.entityId] }))
    .sort((a, b) => compareInTurn(a.key, b.key))
    .map(({ link }) => link)
}

const PRECEDENCE: Readonly<Record<LinkOrigin, number>> = { caller: 0, inferred: 1, found: 2 }

/** Compares two lists of strings of one length by their first elements that differ. */
function compareInTurn(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1
}
