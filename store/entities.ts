import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../domain/visibility.js'
import { anyOf } from './conditions.js'
import { earliestLink, seenLinks } from './memories/audience.js'
import { rowOf } from './rows-by-id.js'
import type { Keyset } from './keyset.js'
import type { Reader, Writer } from './store.js'

/**
 * Inserts the entities whose name keys are new and returns the ids of all, by name key. An id is random: it must not
 * tell when a memory first named the entity. Inserts in the order of keys: unsorted upserts of shared names deadlock.
 */
export async function upsertEntities(writer: Writer, nameKeys: readonly string[]): Promise<Map<string, string>> {
  if (nameKeys.length === 0) return new Map()
  const given = [...new Set(nameKeys)]
  const { rows: known } = await sql<{ id: string; name_key: string }>`
    with given as (
      select unnest(${given}::text[]) as name_key
    ), made as (
      insert into entities (tenant_id, id, name_key)
      select ${writer.tenantId}, gen_random_uuid(), name_key from given order by name_key
      on conflict (tenant_id, name_key) do nothing
      returning id, name_key
    )
    select id, name_key from made
    union all
    select e.id, e.name_key from entities e join given using (name_key)
    where e.tenant_id = ${writer.tenantId} and name_key not in (select name_key from made)`.execute(writer.db)
  const ids = new Map(known.map((row) => [row.name_key, row.id]))
  // An entity of a transaction that committed between this statement's snapshot and its insert is in neither branch.
  const missed = given.filter((key) => !ids.has(key))
  if (missed.length > 0) {
    const late = await writer.db
      .selectFrom('entities')
      .select(['id', 'name_key'])
      .where('tenant_id', '=', writer.tenantId)
      .where('name_key', '=', anyOf(missed))
      .execute()
    for (const row of late) ids.set(row.name_key, row.id)
  }
  return ids
}

/**
 * Returns the spelling of each entity in the earliest link that this audience sees; leaves out entities that it does
 * not see.
 */
export async function readSpellings(
  { tenantId, db }: Reader,
  ids: readonly string[],
  audience: Audience,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select wanted.id, l.name from unnest(${ids as string[]}::uuid[]) as wanted(id)
      cross join lateral ${earliestLink(tenantId, sql`wanted.id`, audience)} l`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export interface EntityRow {
  readonly id: string
  readonly name: string
  readonly nameKey: string
  readonly entityType: string | null
  readonly createdAt: Date
  readonly memoryCount: number
  /** The entity that this one is merged into, if the audience sees it. */
  readonly mergedInto: string | null
  /** Other names of the thing that the audience sees, by name key. */
  readonly aliases: readonly { readonly entity_id: string; readonly name: string }[]
}

/** Lists the entities that visible memories are linked to, by name key. */
export async function listEntities(
  reader: Reader,
  audience: Audience,
  options: { words: readonly string[]; entityType?: string | undefined } & Keyset<string>,
): Promise<EntityRow[]> {
  const matching = sql.join(
    [
      sql`e.tenant_id = ${reader.tenantId}`,
      seenBy(reader, audience),
      ...options.words.map((word) => sql`position(${word} in e.name_key) > 0`),
      ...(options.entityType === undefined ? [] : [sql`${typeOf(reader.tenantId, audience)} = ${options.entityType}`]),
      ...(options.after === undefined ? [] : [sql`e.name_key > ${options.after}`]),
    ],
    sql` and `,
  )
  return selectEntities(reader, audience, sql`${matching} order by e.name_key limit ${options.limit}`)
}

export async function findEntity(reader: Reader, audience: Audience, id: string): Promise<EntityRow | undefined> {
  const rows = await selectEntities(
    reader,
    audience,
    sql`e.tenant_id = ${reader.tenantId} and e.id = ${id} and ${seenBy(reader, audience)}`,
  )
  return rows[0]
}

/** An entity as an audience sees it by name. */
export type SeenEntity = Pick<EntityRow, 'id' | 'name' | 'nameKey'>

/** Returns the entities with these name keys that the audience sees, by name key. */
export async function readSeenByKeys(
  reader: Reader,
  audience: Audience,
  nameKeys: readonly string[],
): Promise<Map<string, SeenEntity>> {
  if (nameKeys.length === 0) return new Map()
  const rows = await selectSeen(reader, audience, sql`e.name_key = any(${nameKeys as string[]}::text[])`)
  return new Map(rows.map((row) => [row.nameKey, row]))
}

/** Returns the ids of all names of the things of these entities, by the id of each that has others and that the audience sees. */
export async function readNames(
  { tenantId, db }: Reader,
  audience: Audience,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ id: string; names: string[] }>`
    select e.id, array_agg(g.id) as names from entities e join entities g on g.tenant_id = ${tenantId} and g.thing_id = e.thing_id
    where e.tenant_id = ${tenantId} and e.id = any(${ids as string[]}::uuid[])
      and exists (select from ${earliestLink(tenantId, sql`e.id`, audience)} l)
    group by e.id`.execute(db)
  return new Map(rows.map(({ id, names }) => [id, names]))
}

/** Returns up to `limit` entities that the audience sees and whose name key has a word, by name key. Scans the names of the tenant. */
export function readSeenByWord(
  reader: Reader,
  audience: Audience,
  { word, limit }: { readonly word: string; readonly limit: number },
): Promise<SeenEntity[]> {
  return selectSeen(reader, audience, sql`position(${word} in e.name_key) > 0 order by e.name_key limit ${limit}`)
}

async function selectSeen(
  { tenantId, db }: Reader,
  audience: Audience,
  where: RawBuilder<unknown>,
): Promise<SeenEntity[]> {
  const { rows } = await sql<SeenEntity>`
    select e.id, l.name, e.name_key as "nameKey" from entities e cross join lateral ${earliestLink(tenantId, sql`e.id`, audience)} l
    where e.tenant_id = ${tenantId} and ${where}`.execute(db)
  return rows
}

/** The text of a memory that an entity is linked to, with the spelling of its link. */
export interface SeenText {
  readonly memoryId: string
  readonly name: string
  readonly text: string
}

/** Returns the texts of the newest memories linked to an entity that the audience sees, at most `limit`; their first 20,000 characters. */
export async function readSeenTexts(
  { tenantId, db }: Reader,
  audience: Audience,
  entityId: string,
  limit: number,
): Promise<SeenText[]> {
  const { rows } = await sql<SeenText>`
    with newest as materialized (
      select distinct on (l.memory_id) l.memory_id, l.name from ${seenLinks(tenantId, sql`${entityId}::uuid`, audience)} l
      order by l.memory_id desc limit ${limit}
    )
    select l.memory_id as "memoryId", l.name, left(m.content, 20000) as text
    from newest l cross join lateral ${rowOf('memories', tenantId, sql`l.memory_id`)} m
    where m.expires_at is null or m.expires_at > now() order by l.memory_id desc`.execute(db)
  return rows
}

/** Selects entities with the name and time of the earliest link that the audience sees, and what it sees of the other names of the thing. */
async function selectEntities(reader: Reader, audience: Audience, where: RawBuilder<unknown>): Promise<EntityRow[]> {
  const { tenantId, db } = reader
  const { rows } = await sql<EntityRow>`
    with shown as materialized (select e.* from entities e where ${where})
    select e.id, l.name, e.name_key as "nameKey", ${typeOf(tenantId, audience)} as "entityType", m.created_at as "createdAt",
      (select count(distinct l.memory_id)::int from (${namesOfThing(tenantId)}) g cross join lateral ${seenLinks(tenantId, sql`g.id`, audience)} l) as "memoryCount",
      (select e.merged_into from ${earliestLink(tenantId, sql`e.merged_into`, audience)} l) as "mergedInto",
      (select coalesce(jsonb_agg(jsonb_build_object('entity_id', g.id, 'name', l.name) order by g.name_key), '[]')
       from (${namesOfThing(tenantId)}) g cross join lateral ${earliestLink(tenantId, sql`g.id`, audience)} l where g.id <> e.id) as aliases
    from shown e cross join lateral ${earliestLink(tenantId, sql`e.id`, audience)} l
      cross join lateral ${rowOf('memories', tenantId, sql`l.memory_id`)} m
    order by e.name_key`.execute(db)
  return rows
}

/** Selects the names of the thing of entity e, its own among them. */
function namesOfThing(tenantId: string): RawBuilder<unknown> {
  return sql`select e.id, e.name_key union
    select g.id, g.name_key from entities g where g.tenant_id = ${tenantId} and g.thing_id = e.thing_id`
}

/** Returns the type that a visible memory gives the entity first: from callers, else inferred, else found. */
function typeOf(tenantId: string, audience: Audience): RawBuilder<string | null> {
  return sql<string | null>`(
    select l.entity_type from ${seenLinks(tenantId, sql`e.id`, audience)} l where l.entity_type is not null
    order by array_position(array['caller', 'inferred', 'found'], l.origin), l.memory_id, l.role limit 1)`
}

function seenBy(reader: Reader, audience: Audience): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${earliestLink(reader.tenantId, sql`e.id`, audience)} l)`
}
