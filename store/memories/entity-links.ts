import { sql } from 'kysely'
import type { EntityLink, LinkOrigin } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import type { Reader } from '../store.js'
import { uuids } from '../rows-by-id.js'
import { earliestLink } from './audience.js'

interface LinkRow extends EntityLink {
  readonly memoryId: string
}

/**
 * Returns the links of these memories to entities, by the memory's id; an entity comes once for each role that a caller gave it. What a
 * caller gave leaves out what was inferred or found of the same entity, and what was inferred leaves out what was found. An entity has the
 * name of the earliest link that this audience sees; one that it sees nowhere, because the memory is deleted or hidden from it, the name in
 * this memory. Does not check whether the audience may see the memories.
 */
export async function readEntityLinks(
  { tenantId, db }: Reader,
  memoryIds: readonly string[],
  audience: Audience,
): Promise<Map<string, EntityLink[]>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<LinkRow>`
    with links as materialized (
      select l.* from (select distinct id from unnest(${uuids(memoryIds)}) as given(id)) asked cross join lateral (
        select * from entity_links l where l.tenant_id = ${tenantId} and l.memory_id = asked.id offset 0
      ) l
    ), spelt as materialized (
      select linked.id, l.name from (select distinct entity_id as id from links) linked
        cross join lateral ${earliestLink(tenantId, sql`linked.id`, audience)} l
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
 * Leaves out what a link of a better origin says too, and sorts the others by origin, best first, name and role, the same for every locale of the
 * database. Compares names in lower case: `nameKey` of each would take 40 ms for the 12,000 links and more that an answer may have.
 */
function inShownOrder(links: readonly EntityLink[]): EntityLink[] {
  const best = new Map<string, LinkOrigin>()
  for (const { entityId, origin } of links) {
    const known = best.get(entityId)
    if (known === undefined || PRECEDENCE[origin] < PRECEDENCE[known]) best.set(entityId, origin)
  }
  return links
    .filter(({ entityId, origin }) => origin === 'caller' || origin === best.get(entityId))
    .sort(
      (a, b) =>
        PRECEDENCE[a.origin] - PRECEDENCE[b.origin] ||
        compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
        compare(a.role ?? '', b.role ?? '') ||
        compare(a.entityId, b.entityId),
    )
}

const PRECEDENCE: Readonly<Record<LinkOrigin, number>> = { caller: 0, inferred: 1, found: 2 }

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
