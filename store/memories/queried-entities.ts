import { type RawBuilder, sql } from 'kysely'
import { LEAST_RARITY } from '../../domain/ranking/lexical.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { type Audience, mayHaveRowsElsewhere } from '../../domain/visibility.js'
import type { Reader } from '../store.js'
import { uuids, rowOf } from '../rows-by-id.js'
import { hasRowsElsewhere, linksSeenBy, visibleTo } from './audience.js'
import { visibleTotal } from './visible-counters.js'
import { passes } from './recall-conditions.js'

/**
 * Entities that a query names and the memories one hop away from them. All numbers are of memories that the caller may
 * see: an entity of hidden memories only is as if it did not exist.
 */
export interface QueriedEntities {
  /** Number of memories that `linked` is compared with; 0 when the query names no entity. */
  readonly memories: number
  /** Entities that are rare enough to tell memories apart, with other names of the same things. */
  readonly named: readonly NamedEntity[]
  /** Memories that share an entity with a memory of a named entity, those of the rarest first; one may come several times. */
  readonly reached: readonly ReachedMemory[]
  /** Entities that were read to find that they are common. */
  readonly common: CommonEntities
}

/** An entity that a query names, or another name of the same thing. */
interface NamedEntity {
  readonly id: string
  readonly nameKey: string
  /** The id of the thing, which all of its names have. */
  readonly thing: string
  /** False for a name that the query does not have. */
  readonly isAsked: boolean
  /** Number of memories that are linked to the thing by any of its names. */
  readonly linked: number
}

/** Ids of entities that tell no memories apart, because so many of those that an audience sees are linked to them. */
export interface CommonEntities {
  /** Entities of a query: too common to be among the `named` ones, of which hundreds of links were read. */
  readonly queried: readonly string[]
  /** Other entities of their memories: linked to more than `MAX_LINKED` memories, so that no hop leads over them. */
  readonly others: readonly string[]
}

interface ReachedMemory {
  readonly id: string
  /** Number of memories that are linked to the shared entity. */
  readonly linked: number
  /** The named entity whose memory shares it: the rarest, if there are several. */
  readonly namedId: string
}

/** Number of a query's entities that are looked up, those with the longest names first. */
const MAX_QUERIED = 32
/** Limit on the links of a named entity: one with more is left out. */
const MAX_READ = 2_000
/** Number of newest memories of each named entity that are read. */
const MAX_FIRST = 30
/** Number of their other entities that are followed. */
const MAX_SHARED = 100
/** Limit on a shared entity's memories: one with more leads everywhere. */
const MAX_LINKED = 20
const MAX_REACHED = 60
/** Links that must have been read before a query's entity is reported as common: reading fewer again costs as little as excluding it. */
const MIN_REPORTED = 200
/** Number of an author's newest memories, of which those are counted that only an author sees. */
const MAX_OWN = 500

/**
 * Finds the entities with these name keys and follows one hop, in one statement: named entity → memories that the
 * caller may see → their other, rare entities → memories that pass the filter. Dates are not followed: memories of one
 * day have nothing else in common. Memories of the named entities are not reached. Entities that are `known` to be common
 * are left out unread, which changes nothing else.
 */
export async function readQueriedEntities(
  reader: Reader,
  filter: RecallFilter,
  nameKeys: readonly string[],
  known: CommonEntities = NONE_KNOWN,
): Promise<QueriedEntities> {
  const { audience } = filter
  if (nameKeys.length === 0 || audience.kind === 'nobody')
    return { memories: 0, named: [], reached: [], common: NONE_KNOWN }
  const { rows } = await sql<FoundRow>`
    with ${ownMemories(reader, audience)}
    ${namedEntities(reader, audience, nameKeys, known.queried)},
    ${sharedEntities(reader, audience, filter.now, known.others)}
    select 'named' as kind, id, linked, null::uuid as "namedId", name_key as "nameKey", thing, is_asked as "isAsked", memories from named
    union all
    select distinct 'common queried', id, linked, null::uuid, null, null::uuid, null::bool, null::int from counted join queried using (thing)
    where links >= ${MIN_REPORTED} and id <> all(array(select id from named))
    union all
    select 'common other', id, cardinality(memory_ids), null, null, null, null, null from sharing where cardinality(memory_ids) > ${MAX_LINKED}
    union all
    (select 'reached', m.id, min(s.linked)::int as linked, s.named_id as "namedId", null, null, null, null
     from shared s cross join lateral ${rowOf('memories', reader.tenantId, sql`s.memory_id`)} m
     where ${passes(filter)} and s.memory_id not in (select memory_id from linked where id in (select id from named))
     group by m.id, s.named_id, s.named_linked order by linked, s.named_linked, m.id limit ${MAX_REACHED})`.execute(
    reader.db,
  )
  const ofKind = (kind: FoundRow['kind']) => rows.filter((row) => row.kind === kind)
  const idsOf = (kind: FoundRow['kind']) => ofKind(kind).map(({ id }) => id)
  const named = ofKind('named')
  return {
    memories: named[0]?.memories ?? 0,
    named: named.map(({ id, nameKey, thing, isAsked, linked }) => ({
      id,
      nameKey: nameKey!,
      thing: thing!,
      isAsked: isAsked!,
      linked,
    })),
    reached: ofKind('reached').map(({ id, linked, namedId }) => ({ id, linked, namedId: namedId! })),
    common: { queried: idsOf('common queried'), others: idsOf('common other') },
  }
}

const NONE_KNOWN: CommonEntities = { queried: [], others: [] }

/** An entity, or a memory that is `reached`. */
interface FoundRow {
  readonly kind: 'named' | 'common queried' | 'common other' | 'reached'
  readonly id: string
  readonly linked: number
  /** Only of the `reached` ones. */
  readonly namedId: string | null
  /** These only of the `named` ones. */
  readonly nameKey: string | null
  readonly thing: string | null
  readonly isAsked: boolean | null
  readonly memories: number | null
}

/**
 * Defines `asked` (entities that the query names), `queried` (those and other names of the same things), `seen`, `rare` (limits on the memories and links of an entity), `counted` and `named`. `entityRarity` is at least
 * `LEAST_RARITY` as long as linked + ½ ≤ (memories + 1)^(1 − LEAST_RARITY) · 1.5^LEAST_RARITY, so that a small tenant
 * reads few links of its common entities. Links are more than memories, because one may have several roles or origins.
 */
function namedEntities(
  reader: Reader,
  audience: SeeingAudience,
  nameKeys: readonly string[],
  common: readonly string[],
): RawBuilder<unknown> {
  // One array parameter keeps the statement's text, and its prepared plan, the same for any number of keys.
  return sql`
    asked as materialized (
      select e.id, e.name_key, e.thing_id from entities e cross join lateral (${linksSeen(reader, audience, sql`e.id`, sql`1`)}) seen
      where e.tenant_id = ${reader.tenantId} and e.name_key = any(${nameKeys as string[]}::text[])
      order by length(e.name_key) desc, e.name_key limit ${MAX_QUERIED}
    ),
    queried as materialized (
      select id, name_key, coalesce(thing_id, id) as thing, true as is_asked from asked union all
      (select distinct g.id, g.name_key, g.thing_id, false
       from asked join entities g on g.tenant_id = ${reader.tenantId} and g.thing_id = asked.thing_id
       where g.id <> all(array(select id from asked)) order by g.name_key limit ${MAX_QUERIED})
    ),
    seen as materialized (select ${memoriesSeen(reader, audience)} as memories),
    rare as materialized (
      select memories, max_linked, least(${MAX_READ}, 2 * max_linked + 100) as max_links from (
        select memories,
          floor(power(memories + 1, 1 - ${LEAST_RARITY}::float8) * power(1.5, ${LEAST_RARITY}::float8) - .5)::int as max_linked
        from seen offset 0
      ) limits
    ),
    linked as materialized (
      select q.id, q.thing, l.memory_id, count(*) as times
      from (
        select distinct id, thing from queried
        where thing not in (select thing from queried where id in (select unnest(${uuids(common)})))
      ) q cross join lateral (${linksSeen(reader, audience, sql`q.id`, sql`(select max_links + 1 from rare)`)}) l
      group by q.id, q.thing, l.memory_id
    ),
    counted as materialized (
      select thing, count(distinct memory_id)::int as linked, sum(times)::int as links from linked group by thing
    ),
    named as materialized (
      select id, name_key, thing, is_asked, linked, memories from counted join (select distinct * from queried) q using (thing)
        cross join rare where linked <= max_linked and links <= max_links
    )`
}

/**
 * Defines `sharing`, other entities of the memories of the named ones that are not known to be `common`, and `shared`, the
 * memories of those that are rare.
 */
function sharedEntities(
  reader: Reader,
  audience: SeeingAudience,
  now: number,
  common: readonly string[],
): RawBuilder<unknown> {
  const { tenantId } = reader
  return sql`
    newest as (
      select memory_id, named_id, linked from (
        select l.memory_id, l.id as named_id, named.linked, row_number() over (partition by l.id order by l.memory_id desc) as place
        from linked l join named using (id)
      ) l where place <= ${MAX_FIRST}
    ),
    first as materialized (
      select m.id, min(newest.linked) as linked,
        (array_agg(newest.named_id order by newest.linked, newest.named_id))[1] as named_id
      from newest cross join lateral ${rowOf('memories', tenantId, sql`newest.memory_id`)} m
      where m.status <> 'deleted' and (m.expires_at is null or m.expires_at > ${new Date(now)}) and ${visibleTo(audience)}
      group by m.id
    ),
    others as materialized (
      select l.entity_id as id, min(first.linked) as named_linked,
        (array_agg(first.named_id order by first.linked, first.named_id))[1] as named_id
      from first cross join lateral (
        select l.entity_id from entity_links l
        where l.tenant_id = ${tenantId} and l.memory_id = first.id and l.entity_type is distinct from 'date' offset 0
      ) l
      where l.entity_id <> all(array(select id from named))
      group by l.entity_id order by named_linked, id limit ${MAX_SHARED}
    ),
    sharing as materialized (
      select others.id, others.named_id, others.named_linked, array(
        select distinct memory_id from (${linksSeen(reader, audience, sql`others.id`, sql`${2 * MAX_LINKED + 1}`)}) read
      ) as memory_ids
      from others where id not in (select unnest(${uuids(common)}))
    ),
    shared as (
      select unnest(memory_ids) as memory_id, cardinality(memory_ids) as linked, named_id, named_linked from sharing
      where cardinality(memory_ids) <= least(${MAX_LINKED}, (select max_linked from rare))
    )`
}

type SeeingAudience = Exclude<Audience, { readonly kind: 'nobody' }>

/**
 * Defines `own_memories` and `own_links`, since no index has an entity's links by author: the newest of an audience that sees
 * only its own, and of an agent those in fleets that it does not read otherwise. An agent that has none there reads none.
 */
function ownMemories({ tenantId }: Reader, audience: SeeingAudience): RawBuilder<unknown> {
  const isElsewhere = mayHaveRowsElsewhere(audience)
  if (audience.kind === 'shared' && !isElsewhere) return sql``
  const newest = sql`select id, visibility, fleet_id from memories m
    where m.tenant_id = ${tenantId} and m.agent_id = ${audience.agentId} and m.status <> 'deleted'`
  const own = isElsewhere
    ? sql`select id from (
        ${newest} and ${hasRowsElsewhere(tenantId, audience)} order by id desc limit ${MAX_OWN}
      ) m where visibility = 'scope_team' and fleet_id is not null and fleet_id <> all(${audience.fleets as string[]}::text[])`
    : sql`${newest} order by id desc limit ${MAX_OWN}`
  return sql`
    own_memories as materialized (${own}),
    own_links as materialized (
      select l.entity_id, l.memory_id from own_memories m cross join lateral (
        select l.entity_id, l.memory_id from entity_links l where l.tenant_id = ${tenantId} and l.memory_id = m.id offset 0
      ) l
    ),`
}

/** Selects memories that are linked to an entity and that the audience sees, by at most `limit` links. */
function linksSeen(
  { tenantId }: Reader,
  audience: SeeingAudience,
  entityId: RawBuilder<unknown>,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const own = sql`select memory_id from own_links where entity_id = ${entityId} limit ${limit}`
  if (audience.kind === 'own') return own
  const shared = linksSeenBy(tenantId, entityId, audience, limit)
  return mayHaveRowsElsewhere(audience) ? sql`(${shared}) union all (${own})` : shared
}

/** Returns the number of memories that links are counted over. */
function memoriesSeen(reader: Reader, audience: SeeingAudience): RawBuilder<unknown> {
  return audience.kind === 'own' ? sql`(select count(*) from own_memories)` : visibleTotal(reader, audience)
}
