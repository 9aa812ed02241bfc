import { sql } from 'kysely'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { rowOf } from '../row-of.js'
import type { Reader } from '../store.js'
import { visibleTo } from './audience.js'
import { passes } from './recall-rows.js'

interface RareEntity {
  readonly id: string
  /** 0..1. */
  readonly rarity: number
}

/** A memory that shares an entity with a memory of a named entity. */
interface ReachedMemory {
  readonly id: string
  /** Rarity of the named entity. */
  readonly rarity: number
  /** Number of memories that are linked to the shared entity. */
  readonly linked: number
}

/**
 * Number of links of each entity that are read, before the newest are taken. A separate limit, because the planner
 * would scan all links of the tenant for an order by memory.
 */
const MAX_READ = 2_000
/** Number of newest memories of each named entity that are read. */
const MAX_FIRST = 30
/** Number of their other entities that are followed. */
const MAX_SHARED = 100
/** Limit on an entity's memories: one with more leads everywhere. */
const MAX_LINKED = 20
const MAX_REACHED = 60

/**
 * Follows one hop: named entity → memories that the caller may see → their other, rare entities → memories that pass
 * the filter, those reached by the rarest first. Dates are not followed: memories of one day have nothing else in
 * common. Memories of the named entities are left out; a memory may come several times.
 */
export async function readSharing(
  { tenantId, db }: Reader,
  filter: RecallFilter,
  named: readonly RareEntity[],
): Promise<ReachedMemory[]> {
  const ids = named.map(({ id }) => id)
  const { rows } = await sql<ReachedMemory>`
    with named as (select * from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as n(id uuid, rarity float8)),
    first as materialized (
      select m.id, max(named.rarity) as rarity
      from named cross join lateral (
        select distinct memory_id from (
          select l.memory_id from entity_links l where l.tenant_id = ${tenantId} and l.entity_id = named.id limit ${MAX_READ}
        ) read order by memory_id desc limit ${MAX_FIRST}
      ) l cross join lateral ${rowOf('memories', tenantId, sql`l.memory_id`)} m
      where m.status <> 'deleted' and (m.expires_at is null or m.expires_at > ${new Date(filter.now)})
        and ${visibleTo(filter.audience)}
      group by m.id
    ),
    shared as materialized (
      select l.entity_id as id, max(first.rarity) as rarity
      from first join entity_links l on l.tenant_id = ${tenantId} and l.memory_id = first.id
      where l.entity_id <> all(${ids}::uuid[]) and l.entity_type is distinct from 'date'
      group by l.entity_id order by rarity desc, id limit ${MAX_SHARED}
    ),
    reached as (
      select l.memory_id as id, shared.rarity, l.linked
      from shared cross join lateral (
        select memory_id, count(*) over () as linked from (
          select distinct memory_id from (
            select l.memory_id from entity_links l where l.tenant_id = ${tenantId} and l.entity_id = shared.id
            limit ${2 * MAX_LINKED + 1}
          ) read
        ) sharing
      ) l
      where l.linked <= ${MAX_LINKED}
    )
    select m.id, reached.rarity, min(reached.linked)::int as linked
    from reached cross join lateral ${rowOf('memories', tenantId, sql`reached.id`)} m
    where ${passes(filter)} and not exists (
      select from entity_links l where l.tenant_id = ${tenantId} and l.memory_id = m.id and l.entity_id = any(${ids}::uuid[]))
    group by m.id, reached.rarity order by linked, rarity desc, m.id limit ${MAX_REACHED}`.execute(db)
  return rows
}
