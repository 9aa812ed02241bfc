import { type RawBuilder, sql } from 'kysely'
import { LIVE_STATUSES } from '../../domain/memory.js'
import type { Visibility } from '../../domain/visibility.js'
import { ofStatus } from '../conditions.js'
import { rowOf } from '../rows-by-id.js'
import type { Reader, Writer } from '../store.js'
import { hasSameAudience } from './audience.js'
import { lockVersions, type MemoryVersion } from './lock-memories.js'

export interface MemoryKeys extends MemoryVersion {
  readonly keys: readonly number[]
}

/** Replaces the keys of each memory. Skips a memory that is no longer at this version. */
export async function replaceNearKeys(writer: Writer, memories: readonly MemoryKeys[]): Promise<void> {
  if (memories.length === 0) return
  const { tenantId, db } = writer
  const locked = await lockVersions(writer, memories)
  const current = memories.filter(({ memoryId }) => locked.has(memoryId))
  const rows = current.flatMap(({ memoryId, keys }) => keys.map((key) => ({ memory_id: memoryId, key })))
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(memory_id uuid, key bigint)
    ), gone as (
      delete from near_keys k where k.tenant_id = ${tenantId} and k.memory_id = any(${[...locked]}::uuid[])
        and not exists (select from given where given.memory_id = k.memory_id and given.key = k.key)
    )
    insert into near_keys (tenant_id, memory_id, key)
    select ${tenantId}, memory_id, key from given order by memory_id, key on conflict do nothing`.execute(db)
}

/** A live memory whose near texts are searched. */
export interface NearQuery {
  readonly memoryId: string
  readonly keys: readonly number[]
  readonly visibility: Visibility
  readonly fleetId: string | null
  readonly agentId: string | null
}

/** A text that may be a near duplicate of another. */
export interface NearText {
  /** Id of the memory whose near texts were searched. */
  readonly of: string
  readonly id: string
  readonly title: string | null
  readonly content: string
  readonly language: string | null
  readonly textHash: Buffer
}

/** Number of memories of one key that are compared. */
const MAX_PER_KEY = 12
const MAX_PER_MEMORY = 3
const MIN_SHARED_KEYS = 2

/**
 * Returns live memories that share keys with these, those that share most first. Returns only memories of the same
 * audience: the same visibility and, where that asks for one, the same fleet or author. Every row is looked up by its
 * key alone, inside a limit: without statistics for a tenant the planner would rather join whole tables, or scan the
 * index whose predicate or order matches the statement.
 */
export async function readNearTexts({ tenantId, db }: Reader, queries: readonly NearQuery[]): Promise<NearText[]> {
  const given = queries.flatMap(({ memoryId, keys, visibility, fleetId, agentId }) =>
    keys.map((key) => ({ of: memoryId, key, visibility, fleet_id: fleetId, agent_id: agentId })),
  )
  if (given.length === 0) return []
  const { rows } = await sql<NearText>`
    with pairs as materialized (
      select g.of, g.visibility, g.fleet_id, g.agent_id, o.memory_id as id, count(*) as shared
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
          as g("of" uuid, key bigint, visibility text, fleet_id text, agent_id text)
        cross join lateral (
          select k.memory_id from near_keys k where k.tenant_id = ${tenantId} and k.key = g.key limit ${MAX_PER_KEY}
        ) o
      where o.memory_id <> g.of
      group by g.of, g.visibility, g.fleet_id, g.agent_id, o.memory_id having count(*) >= ${MIN_SHARED_KEYS}
    ), nearest as materialized (
      select * from (
        select pairs.*, row_number() over (partition by pairs.of order by pairs.shared desc, pairs.id) as place from pairs
      ) ranked where place <= ${MAX_PER_MEMORY}
    )
    select n.of, c.id, c.title, c.content, c.language, c.text_hash as "textHash"
    from nearest n cross join lateral ${rowOf('memories', tenantId, sql`n.id`)} c
    where ${ofStatus('c', LIVE_STATUSES)} and (c.expires_at is null or c.expires_at > now())
      and ${hasSameAudience('c', { visibility: sql.ref('n.visibility'), fleetId: sql.ref('n.fleet_id'), agentId: sql.ref('n.agent_id') })}`.execute(
    db,
  )
  return rows
}

/** Two texts, by their hashes: the finding no longer holds once either changes. */
export interface NearDuplicate {
  readonly memoryId: string
  readonly memoryHash: Buffer
  readonly originalId: string
  readonly originalHash: Buffer
}

/** Recalls of an agent before it writes that may have told it what it writes, and hours that they go back. */
const RECALLS_BEFORE = 50
const HOURS_BEFORE = 24

/**
 * Flags these memories, and removes the flags of `checked` memories that are not among them. Of several originals the
 * oldest stays. A memory is an echo if one of its author's last recalls before the write returned its original, or another near duplicate of that.
 */
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
    insert into near_duplicates as d (tenant_id, memory_id, memory_hash, original_id, original_hash, is_echo)
    select ${tenantId}, memory_id, decode(memory_hash, 'hex'), original_id, decode(original_hash, 'hex'), ${isEcho(tenantId)}
    from given order by memory_id
    on conflict (tenant_id, memory_id) do update
      set memory_hash = excluded.memory_hash, original_id = excluded.original_id, original_hash = excluded.original_hash,
        is_echo = excluded.is_echo or (d.is_echo and d.memory_hash = excluded.memory_hash)
      where d.memory_hash <> excluded.memory_hash or d.original_id >= excluded.original_id
        or d.memory_id = any(${checked as string[]}::uuid[])`.execute(db)
}

/** Returns whether the author of `given.memory_id` had been told `given.original_id` as a SQL expression. A recall's id has its time, so two days' partitions are read. */
function isEcho(tenantId: string): RawBuilder<unknown> {
  const begin = sql`(lpad(to_hex((extract(epoch from m.created_at) * 1000)::bigint - ${HOURS_BEFORE * 3_600_000}), 12, '0') || repeat('0', 20))::uuid`
  return sql`exists (
    select from memories m cross join lateral (
      select r.results from recalls r
      where r.tenant_id = ${tenantId} and r.agent_id = m.agent_id and r.recall_id < m.id and r.recall_id >= ${begin}
      order by r.recall_id desc limit ${RECALLS_BEFORE}
    ) before cross join lateral jsonb_array_elements(before.results) as told(result)
      left join near_duplicates s on s.tenant_id = ${tenantId} and s.memory_id = (told.result ->> 'memory_id')::uuid
    where m.tenant_id = ${tenantId} and m.id = given.memory_id
      and given.original_id in ((told.result ->> 'memory_id')::uuid, s.original_id))`
}
