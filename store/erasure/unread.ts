import { type RawBuilder, sql } from 'kysely'
import type { Language } from '../../domain/text/language.js'
import { anyOf } from '../conditions.js'
import { linkAudience } from '../memories/audience.js'
import type { MemoryVersion } from '../memories/lock-memories.js'
import { SEEN_FROM } from '../memories/read-memories.js'
import { rowOf } from '../rows-by-id.js'
import type { Reader, Writer } from '../store.js'

/** An entity whose memories are erased, and the key of its name, by which texts that name it are found. */
export interface ErasedEntity {
  readonly id: string
  readonly nameKey: string
}

/** Returns the entity, or undefined when none has this id. */
export async function findErasedEntity({ db, tenantId }: Reader, id: string): Promise<ErasedEntity | undefined> {
  return db
    .selectFrom('entities')
    .select(['id', 'name_key as nameKey'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Returns the names of those of the entities that exist: an erasure keeps its entity while a text has its name. */
export async function readNames({ db, tenantId }: Reader, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('entities')
    .select('name_key')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .execute()
  return rows.map(({ name_key: name }) => name)
}

/**
 * Where memories stand whose links may lack a name of their text: `memory` are those that the indexing job has not read since their last
 * change, deleted ones among them, `enrich` those that a language model is still to read.
 */
export const UNREAD_SOURCES = ['memory', 'enrich'] as const
export type UnreadSource = (typeof UNREAD_SOURCES)[number]

/** An id, and the sequence number of the change that has not been read. */
export interface UnreadId {
  readonly id: string
  readonly seq: number
}

/** Returns ids greater than `after`, in ascending order. */
export async function readUnreadIds(
  { db, tenantId }: Reader,
  source: UnreadSource,
  { after, limit }: { after: string; limit: number },
): Promise<UnreadId[]> {
  return db
    .selectFrom('index_pending as p')
    .select(['p.entity_id as id', 'p.seq'])
    .where('p.tenant_id', '=', tenantId)
    .where('p.kind', '=', source)
    .where('p.settled_at', 'is', null)
    .where('p.entity_id', '>', after)
    .where(sql<boolean>`exists (select from memories m where m.tenant_id = p.tenant_id and m.id = p.entity_id)`)
    .orderBy('p.entity_id')
    .limit(limit)
    .execute()
}

/** A memory as the search for names reads it, with its links to the entity. */
export interface UnreadMemory extends MemoryVersion {
  readonly title: string | null
  readonly content: string
  readonly language: Language | null
  readonly seenFrom: Date
  /** True when the entity is the memory's subject, or a caller or a language model linked it. */
  readonly isAbout: boolean
  /** True when the entity is linked because its name was found in the text, or in an earlier one. */
  readonly isFound: boolean
}

/** Returns those memories among the ids that exist. */
export async function readUnread(
  { db, tenantId }: Reader,
  entityId: string,
  ids: readonly string[],
): Promise<UnreadMemory[]> {
  if (ids.length === 0) return []
  const linked = (origin: RawBuilder<unknown>) => sql`exists (
    select from entity_links l where l.tenant_id = ${tenantId} and l.memory_id = m.id and l.entity_id = ${entityId} and ${origin})`
  const { rows } = await sql<UnreadMemory>`
    select m.id as "memoryId", m.version, m.title, m.content, m.language, ${SEEN_FROM},
      coalesce(m.subject_entity_id = ${entityId}, false) or ${linked(sql`l.origin <> 'found'`)} as "isAbout",
      ${linked(sql`l.origin = 'found'`)} as "isFound"
    from unnest(${ids as string[]}::uuid[]) as wanted(id)
      cross join lateral ${rowOf('memories', tenantId, sql`wanted.id`)} m`.execute(db)
  return rows
}

export interface FoundName extends MemoryVersion {
  /** Null when the text does not contain the name. */
  readonly name: { readonly name: string; readonly type: string } | null
}

/**
 * Brings the found links between these memories and the entity in line with their texts. Returns the ids of the
 * memories that were still at these versions; skips the others.
 */
export async function linkFound(
  { db, tenantId }: Writer,
  entityId: string,
  found: readonly FoundName[],
): Promise<Set<string>> {
  if (found.length === 0) return new Set()
  const given = JSON.stringify(found.map(({ memoryId, version, name }) => ({ id: memoryId, version, ...name })))
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select m.id, given.type, given.name, ${linkAudience()} as audience
      from jsonb_to_recordset(${given}::jsonb) as given(id uuid, version int, type text, name text)
        join memories m on m.tenant_id = ${tenantId} and m.id = given.id and m.version = given.version
      order by m.id for no key update of m
    ), gone as (
      delete from entity_links l using held
      where l.tenant_id = ${tenantId} and l.memory_id = held.id and l.entity_id = ${entityId} and l.origin = 'found'
        and held.type is null
    ), made as (
      insert into entity_links (tenant_id, memory_id, entity_id, role, entity_type, origin, name, audience)
      select ${tenantId}, held.id, e.id, '', held.type, 'found', held.name, held.audience from held
        join entities e on e.tenant_id = ${tenantId} and e.id = ${entityId}
      where held.type is not null order by held.id
      on conflict do nothing
    )
    select id from held`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
