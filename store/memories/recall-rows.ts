import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { TimedText } from '../../domain/ranking/analyse-text.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { readPendingTail, type Tail } from '../outbox/pending-tail.js'
import { rowOf } from '../row-of.js'
import type { Reader } from '../store.js'
import { uuids } from '../uuids.js'
import { visibleTo } from './audience.js'

/** A row that passes the filter now, whatever the index said. What ranking reads of it is fixed by its version (`ScoredColumns`). */
export interface CandidateRow {
  readonly id: string
  readonly version: number
  /** Ids of the entities that the query names and the memory is linked to. */
  readonly matchedEntityIds: readonly string[]
}

/** Columns that ranking reads. Every change of one makes a new version. */
export interface ScoredColumns {
  readonly memoryType: MemoryType
  readonly status: MemoryStatus
  readonly weight: number
  readonly runId: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A neighbour in the run of another row. */
export interface NeighbourRow extends CandidateRow {
  /** The row beside which it was found. */
  readonly sourceId: string
  /** Its place: -2 and -1 come before the source, 1 and 2 after it, among rows that the caller may see. */
  readonly offset: number
}

/** Returns the columns of memories m that a `CandidateRow` has. */
function candidateColumns(entityIds: readonly string[]): RawBuilder<unknown> {
  return sql`m.id, m.version, ${matchedEntities(entityIds)} as "matchedEntityIds"`
}

/**
 * Reads rows that the index and the pending tail found: leaves out those that are deleted, hidden or filtered out, or
 * belong to another tenant. What a version fixes is read apart, by `readStoredTexts`, because the caller has most of it cached.
 */
export async function readCandidates(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
  entityIds: readonly string[],
): Promise<CandidateRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CandidateRow>`
    select ${candidateColumns(entityIds)}
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${rowOf('memories', reader.tenantId, sql`asked.id`)} m
    where ${passes(filter)}`.execute(reader.db)
  return rows
}

/**
 * Reads the visible rows at most two positions away from each of these in its run, ordered by ts_valid_start, else
 * created_at, then id, as far as they pass the filter. Hidden rows are not counted as positions: they would show in the
 * scores of the rows beside them. A row that has several of these beside it comes once for each.
 */
export async function readNeighbours(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
  entityIds: readonly string[],
): Promise<NeighbourRow[]> {
  if (ids.length === 0) return []
  const { tenantId } = reader
  const visible = visibleTo(filter.audience)
  const beside = (comparison: RawBuilder<unknown>, order: RawBuilder<unknown>, sign: RawBuilder<unknown>) => sql`
    select ${sign} row_number() over ()::int as "offset", m.* from (
      select ${candidateColumns(entityIds)}, ${passes(filter)} as passing from memories m
      where m.tenant_id = ${tenantId} and m.run_id = source.run_id and m.status <> 'deleted' and ${visible}
        and (m.run_at, m.id) ${comparison} (source.run_at, source.id)
      order by m.run_at ${order}, m.id ${order} limit 2) m`
  const { rows } = await sql<NeighbourRow>`
    select source.id as "sourceId", n."offset", n.id, n.version, n."matchedEntityIds"
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${rowOf('memories', tenantId, sql`asked.id`)} source
      cross join lateral (
        (${beside(sql`<`, sql`desc`, sql`-`)}) union all (${beside(sql`>`, sql`asc`, sql``)})
      ) n
    where source.run_id is not null and source.status <> 'deleted' and ${visibleTo(filter.audience, 'source')}
      and n.passing`.execute(reader.db)
  return rows
}

/** A memory as it is read to be cached: with its text in one of the two forms below. */
interface ReadMemory extends ScoredColumns {
  readonly id: string
  readonly version: number
  /** Number of recalls that returned it. */
  readonly recallCount: number
}

/** A text that is still to be analysed. */
export interface CandidateText extends ReadMemory, TimedText {
  /** Base64 of little-endian float32; null when there is none yet or it was not asked for. */
  readonly vector: string | null
}

/** A text that was analysed when its memory was indexed; base64 of what domain/ranking/text-bytes.ts encodes. */
export interface StoredCandidateText extends ReadMemory {
  readonly bytes: string
}

/** Reads the texts of rows that the caller has hydrated, with their stored vectors of `model` (null reads none). */
export async function readTexts(
  reader: Reader,
  ids: readonly string[],
  model: string | null,
): Promise<CandidateText[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CandidateText>`
    select ${READ_MEMORY}, ${TIMED_TEXT}, ${storedVector(model)} as vector
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${rowOf('memories', reader.tenantId, sql`asked.id`)} m`.execute(
    reader.db,
  )
  return rows
}

/**
 * Reads the analysed texts of rows that the caller has hydrated, in one statement: those that are stored with a vector
 * of `model` are bytes, and the others texts, with their vectors as by `readTexts`.
 */
export async function readStoredTexts(
  reader: Reader,
  ids: readonly string[],
  { model, isInline }: { readonly model: string; readonly isInline: boolean },
): Promise<(CandidateText | StoredCandidateText)[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CandidateText | StoredCandidateText>`
    select ${READ_MEMORY}, encode(stored.bytes, 'base64') as bytes, lacking.*
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${rowOf('memories', reader.tenantId, sql`asked.id`)} m
      left join lateral (
        select t.bytes from analysed_texts t where t.tenant_id = m.tenant_id and t.memory_id = m.id
          and t.model = ${model} and t.version = m.version limit 1
      ) stored on true
      left join lateral (
        select ${TIMED_TEXT}, ${storedVector(isInline ? null : model)} as vector where stored.bytes is null
      ) lacking on true`.execute(reader.db)
  return rows
}

/** Reads pending memories (`readPendingTail`). */
export function readTail(reader: Reader, filter: RecallFilter, limit: number): Promise<Tail> {
  const read = sql`
    select m.id, passing, p.seq from pending p
      cross join lateral ${rowOf('memories', reader.tenantId, sql`p.entity_id`)} m
      cross join lateral (select ${passes(filter)} as passing) now
    where passing or m.version > 1`
  return readPendingTail(reader, 'memory', read, limit)
}

/** Returns the ids of the newest rows, for use while the search engine is unavailable. */
export async function readNewest(reader: Reader, filter: RecallFilter, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from memories m where m.tenant_id = ${reader.tenantId} and ${passes(filter)}
    order by m.created_at desc, m.id desc limit ${limit}`.execute(reader.db)
  return rows.map((row) => row.id)
}

/** Converts a timestamp to milliseconds: the driver parses a number much faster than a date. */
function milliseconds(instant: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${instant}) * 1000)::float8`
}

/** Columns of a `ReadMemory`, of memories m. */
const READ_MEMORY = sql`m.id, m.version, m.memory_type as "memoryType", m.status, m.weight, m.run_id as "runId",
  ${milliseconds(sql`m.created_at`)} as "createdAt", coalesce((
    select recall_count from memory_usage u where u.tenant_id = m.tenant_id and u.memory_id = m.id), 0) as "recallCount"`

/** Columns of a `TimedText`, of memories m. */
const TIMED_TEXT = sql`m.title, m.content, m.agent_id as "agentId", ${milliseconds(sql`m.run_at`)} as at,
  ${milliseconds(sql`m.valid_end`)} as until`

/** Returns the conditions that a row m must meet now for a recall to return it. */
export function passes(filter: RecallFilter): RawBuilder<boolean> {
  const now = new Date(filter.now)
  const conditions = [
    visibleTo(filter.audience),
    sql`m.status <> 'deleted' and m.status = any(${filter.statuses as string[]}::text[])`,
    sql`(m.expires_at is null or m.expires_at > ${now})`,
  ]
  if (filter.memoryTypes) conditions.push(sql`m.memory_type = any(${filter.memoryTypes as string[]}::text[])`)
  if (filter.fleetIds) conditions.push(sql`m.fleet_id = any(${filter.fleetIds as string[]}::text[])`)
  if (filter.agentId !== undefined) conditions.push(sql`m.agent_id = ${filter.agentId}`)
  if (filter.runId !== undefined) conditions.push(sql`m.run_id = ${filter.runId}`)
  if (filter.createdAfter !== undefined) conditions.push(sql`m.created_at > ${new Date(filter.createdAfter)}`)
  if (filter.createdBefore !== undefined) conditions.push(sql`m.created_at < ${new Date(filter.createdBefore)}`)
  if (filter.validAt !== undefined) {
    const at = new Date(filter.validAt)
    conditions.push(
      sql`(m.valid_start is null or m.valid_start <= ${at}) and (m.valid_end is null or m.valid_end > ${at})`,
    )
  }
  if (filter.metadata) conditions.push(sql`m.metadata @> ${JSON.stringify(filter.metadata)}::jsonb`)
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

function matchedEntities(entityIds: readonly string[]): RawBuilder<unknown> {
  if (entityIds.length === 0) return sql`array[]::uuid[]`
  return sql`array(select distinct l.entity_id from entity_links l where l.tenant_id = m.tenant_id and l.memory_id = m.id
    and l.entity_id = any(${entityIds as string[]}::uuid[]))`
}

function storedVector(model: string | null): RawBuilder<unknown> {
  if (model === null) return sql`null::text`
  return sql`(select encode(v.vector, 'base64') from vectors v
    where v.tenant_id = m.tenant_id and v.text_hash = m.text_hash and v.model = ${model})`
}
