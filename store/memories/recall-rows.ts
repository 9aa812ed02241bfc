import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { NeighbourOffset } from '../../domain/ranking/pool.js'
import type { TimedText } from '../../domain/ranking/analyse-text.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import type { Audience } from '../../domain/visibility.js'
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
export interface NeighbourRow {
  readonly row: CandidateRow
  /** The row beside which it was found. */
  readonly sourceId: string
  /** Its place: -2 and -1 come before the source, 1 and 2 after it, among rows that the caller may see. */
  readonly offset: NeighbourOffset
}

interface CandidateRequest {
  /** Rows whose neighbours are read too, whether they pass the filter or not; they are candidates like the ids. */
  readonly sources: readonly string[]
  /** Entities that the query names. */
  readonly entityIds: readonly string[]
}

/**
 * Reads rows that the index and the pending tail found: leaves out those that are deleted, hidden or filtered out, or
 * belong to another tenant. What a version fixes is read apart, by `readStoredTexts`, because the caller has most of it cached.
 *
 * Beside each visible source it reads the visible rows at most two positions away in its run, ordered by ts_valid_start,
 * else created_at, then id, as far as they pass the filter. Hidden rows are not counted as positions: they would show in
 * the scores of the rows beside them. A row that has several sources beside it comes once for each.
 *
 * All rows come as one text: the driver takes longer for the messages of 250 rows than for the rest of the statement.
 */
export async function readCandidates(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
  { sources, entityIds }: CandidateRequest,
): Promise<{ found: CandidateRow[]; beside: NeighbourRow[] }> {
  const first = new Set(sources)
  const asked = [...new Set([...first, ...ids])]
  if (asked.length === 0) return { found: [], beside: [] }
  const { tenantId } = reader
  const columns = sql`concat_ws(' ', m.id, m.version, ((${meets(filter)}) is true)::int, ${matchedEntities(entityIds)})`
  const seen = seenBy(filter.audience)
  const beside = (comparison: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`array_to_string(array(
      select ${columns} from memories m where m.tenant_id = ${tenantId} and m.run_id = source.run_id and ${seen}
        and (m.run_at, m.id) ${comparison} (source.run_at, source.id)
      order by m.run_at ${order}, m.id ${order} limit 2), ',')`
  const { rows } = await sql<{ read: string | null }>`
    select string_agg(case when source.place > ${first.size} or source.run_id is null then source.columns
      else concat_ws(';', source.columns, ${beside(sql`<`, sql`desc`)}, ${beside(sql`>`, sql`asc`)}) end, E'\n') as read
    from (
      select asked.place, m.id, m.run_id, m.run_at, ${columns} as columns
      from unnest(${uuids(asked)}) with ordinality as asked(id, place)
        cross join lateral ${rowOf('memories', tenantId, sql`asked.id`)} m
      where ${seen}
    ) source`.execute(reader.db)
  return parseCandidates(rows[0]?.read?.split('\n') ?? [])
}

/**
 * Parses lines of `row` or `row;before;after`, where `before` and `after` are rows separated by commas, the nearest first. A row is
 * `id version passes entity…`: an id is a UUID of 36 characters, `passes` is 1 or 0.
 */
function parseCandidates(lines: readonly string[]): { found: CandidateRow[]; beside: NeighbourRow[] } {
  const found: CandidateRow[] = []
  const beside: NeighbourRow[] = []
  for (const line of lines) {
    const [own, before = '', after = ''] = line.split(';')
    const sourceId = own!.slice(0, ID_LENGTH)
    const source = parseRow(own!)
    if (source !== null) found.push(source)
    for (const [listed, offsets] of [
      [before, [-1, -2]],
      [after, [1, 2]],
    ] as const) {
      if (listed === '') continue
      listed.split(',').forEach((text, i) => {
        const row = parseRow(text)
        if (row !== null) beside.push({ row, sourceId, offset: offsets[i]! })
      })
    }
  }
  return { found, beside }
}

const ID_LENGTH = 36

/** Parses a row; null when it fails the filter. */
function parseRow(text: string): CandidateRow | null {
  const versionEnd = text.indexOf(' ', ID_LENGTH + 1)
  if (text[versionEnd + 1] !== '1') return null
  const entities = text.slice(versionEnd + 3)
  return {
    id: text.slice(0, ID_LENGTH),
    version: Number(text.slice(ID_LENGTH + 1, versionEnd)),
    matchedEntityIds: entities === '' ? NONE : entities.split(' '),
  }
}

const NONE: readonly string[] = []

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

/**
 * Reads the texts of rows, with their stored vectors of `model` (null reads none). Checks no visibility: they are for rows that
 * `readCandidates` returns, and no others.
 */
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
 * Reads the analysed texts of rows, in one statement and without a check of visibility, as `readTexts`: those that are stored with a vector of
 * `model` are bytes, and the others texts, with their vectors.
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

/** Reads pending memories (`readPendingTail`). Updated rows that do not pass, hidden ones too, are `stale`: the index may hold a copy that passes. */
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
  return sql<boolean>`${seenBy(filter.audience)} and ${meets(filter)}`
}

function seenBy(audience: Audience): RawBuilder<boolean> {
  return sql<boolean>`m.status <> 'deleted' and ${visibleTo(audience)}`
}

/** Returns what the filter asks of a row m that its audience sees. */
function meets(filter: RecallFilter): RawBuilder<boolean> {
  const now = new Date(filter.now)
  const conditions = [
    sql`m.status = any(${filter.statuses as string[]}::text[])`,
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

/** Returns the ids of the entities that memory m is linked to among these, separated by spaces; null when there are none. */
function matchedEntities(entityIds: readonly string[]): RawBuilder<unknown> {
  if (entityIds.length === 0) return sql`null`
  return sql`(select string_agg(distinct l.entity_id::text, ' ') from entity_links l
    where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = any(${entityIds as string[]}::uuid[]))`
}

function storedVector(model: string | null): RawBuilder<unknown> {
  if (model === null) return sql`null::text`
  return sql`(select encode(v.vector, 'base64') from vectors v
    where v.tenant_id = m.tenant_id and v.text_hash = m.text_hash and v.model = ${model})`
}
