import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../domain/visibility.js'
import { visibleTo } from './memories/audience.js'
import { holdVersions, type MemoryVersion } from './memories/hold-versions.js'
import type { Reader, Writer } from './store.js'

export interface MemoryKeys extends MemoryVersion {
  readonly keys: readonly number[]
}

/** Gives each memory exactly these keys. One that is not at the version any more is passed over. */
export async function replaceNearKeys(writer: Writer, memories: readonly MemoryKeys[]): Promise<void> {
  if (memories.length === 0) return
  const { tenantId, db } = writer
  const held = await holdVersions(writer, memories)
  const current = memories.filter(({ memoryId }) => held.has(memoryId))
  const rows = current.flatMap(({ memoryId, keys }) => keys.map((key) => ({ memory_id: memoryId, key })))
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(memory_id uuid, key bigint)
    ), gone as (
      delete from near_keys k where k.tenant_id = ${tenantId} and k.memory_id = any(${[...held]}::uuid[])
        and not exists (select from given where given.memory_id = k.memory_id and given.key = k.key)
    )
    insert into near_keys (tenant_id, memory_id, key)
    select ${tenantId}, memory_id, key from given order by memory_id, key on conflict do nothing`.execute(db)
}

/** A text that may be near another one's. */
export interface NearText {
  /** The memory whose near texts were asked for. */
  readonly of: string
  readonly id: string
  readonly title: string | null
  readonly content: string
  readonly textHash: Buffer
}

/** The newest memories of a key that are looked at. */
const MOST_OF_A_KEY = 8
const MOST_OF_A_MEMORY = 4

/**
 * Live memories that share keys with these, those with most first. Only of the same audience: the same visibility and, where that asks for
 * one, the same fleet or author.
 */
export async function readNearTexts({ tenantId, db }: Reader, ids: readonly string[]): Promise<NearText[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<NearText>`
    with pairs as (
      select k.memory_id as of, o.memory_id as id, count(*) as shared
      from near_keys k cross join lateral (
        select o.memory_id from near_keys o
        where o.tenant_id = ${tenantId} and o.key = k.key and o.memory_id <> k.memory_id
        order by o.memory_id desc limit ${MOST_OF_A_KEY}
      ) o
      where k.tenant_id = ${tenantId} and k.memory_id = any(${ids as string[]}::uuid[])
      group by k.memory_id, o.memory_id
    ), ranked as (
      select pairs.of, c.id, c.title, c.content, c.text_hash,
        row_number() over (partition by pairs.of order by pairs.shared desc, c.id) as place
      from pairs join memories m on m.tenant_id = ${tenantId} and m.id = pairs.of
        join memories c on c.tenant_id = ${tenantId} and c.id = pairs.id
      where ${isLive('m')} and ${isLive('c')} and c.visibility = m.visibility and (m.visibility = 'scope_org'
        or (m.visibility = 'scope_team' and c.fleet_id is not distinct from m.fleet_id)
        or (m.visibility = 'scope_agent' and c.agent_id = m.agent_id))
    )
    select ranked.of, id, title, content, text_hash as "textHash" from ranked where place <= ${MOST_OF_A_MEMORY}`.execute(
    db,
  )
  return rows
}

function isLive(alias: string): RawBuilder<boolean> {
  const m = sql.ref(alias)
  return sql<boolean>`(${m}.status in ('active', 'pending', 'confirmed') and (${m}.expires_at is null or ${m}.expires_at > now()))`
}

/** Two texts by their hashes: what is said of them ends with a change of either. */
export interface NearDuplicate {
  readonly memoryId: string
  readonly memoryHash: Buffer
  readonly originalId: string
  readonly originalHash: Buffer
}

/** Flags these, and takes the flags of `checked` memories that are not among them. Of several originals the oldest stays. */
export async function flagNearDuplicates(
  { tenantId, db }: Writer,
  checked: readonly string[],
  found: readonly NearDuplicate[],
): Promise<void> {
  const rows = found.map(({ memoryId, memoryHash, originalId, originalHash }) => ({
    memory_id: memoryId,
    memory_hash: memoryHash.toString('hex'),
    original_id: originalId,
    original_hash: originalHash.toString('hex'),
  }))
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(memory_id uuid, memory_hash text, original_id uuid, original_hash text)
    ), gone as (
      delete from near_duplicates d where d.tenant_id = ${tenantId} and d.memory_id = any(${checked as string[]}::uuid[])
        and not exists (select from given where given.memory_id = d.memory_id)
    )
    insert into near_duplicates as d (tenant_id, memory_id, memory_hash, original_id, original_hash)
    select ${tenantId}, memory_id, decode(memory_hash, 'hex'), original_id, decode(original_hash, 'hex')
    from given order by memory_id
    on conflict (tenant_id, memory_id) do update
      set memory_hash = excluded.memory_hash, original_id = excluded.original_id, original_hash = excluded.original_hash
      where d.memory_hash <> excluded.memory_hash or d.original_id >= excluded.original_id
        or d.memory_id = any(${checked as string[]}::uuid[])`.execute(db)
}

/**
 * `{near_duplicate_of}` of the memory m, as SQL, or `{}`: when it is none, when the original is gone or not for this audience, or when
 * either text has changed since they were compared.
 */
export function nearDuplicateOf(audience: Audience): RawBuilder<unknown> {
  return sql`coalesce((
    select jsonb_build_object('near_duplicate_of', o.id)
    from near_duplicates d join memories o on o.tenant_id = d.tenant_id and o.id = d.original_id
    where d.tenant_id = m.tenant_id and d.memory_id = m.id and d.memory_hash = m.text_hash and d.original_hash = o.text_hash
      and o.status <> 'deleted' and ${visibleTo(audience, 'o')}), '{}')`
}
