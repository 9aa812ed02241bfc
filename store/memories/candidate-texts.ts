import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { TimedText } from '../../domain/ranking/analyse-text.js'
import type { RecallFilter, Viewing } from '../../domain/recall-filter.js'
import type { Language } from '../../domain/text/language.js'
import type { Reader } from '../store.js'
import { uuids } from '../rows-by-id.js'
import { isEcho } from './read-memories.js'
import { memoryRow, passes, seenBy } from './recall-conditions.js'

/** Columns that ranking reads. Every change of one makes a new version. */
export interface ScoredColumns {
  readonly memoryType: MemoryType
  readonly status: MemoryStatus
  readonly weight: number
  readonly runId: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
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
  readonly language: Language | null
  /** Base64 of little-endian float32; null when there is none yet or it was not asked for. */
  readonly vector: string | null
}

/** A text that was analysed when its memory was indexed; base64 of what domain/ranking/text-bytes.ts encodes. */
export interface StoredCandidateText extends ReadMemory {
  readonly bytes: string
}

/**
 * Reads the texts of rows that the audience sees now, with their stored vectors of `model` (null reads none): a row may have changed since it
 * was found, and a hidden text would show in scores.
 */
export async function readTexts(
  reader: Reader,
  viewing: Viewing,
  ids: readonly string[],
  model: string | null,
): Promise<CandidateText[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CandidateText>`
    select ${READ_MEMORY}, ${TIMED_TEXT}, ${storedVector(model)} as vector
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${memoryRow(viewing, reader.tenantId, sql`asked.id`)} m
    where ${seenBy(viewing.audience)}`.execute(reader.db)
  return rows
}

/**
 * Reads the analysed texts of rows that the audience sees now, in one statement: those that are stored with a vector of `model` are bytes, and
 * the others texts, with their vectors as by `readTexts`.
 */
export async function readStoredTexts(
  reader: Reader,
  viewing: Viewing,
  ids: readonly string[],
  { model, isInline }: { readonly model: string; readonly isInline: boolean },
): Promise<(CandidateText | StoredCandidateText)[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CandidateText | StoredCandidateText>`
    select ${READ_MEMORY}, encode(stored.bytes, 'base64') as bytes, lacking.*
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${memoryRow(viewing, reader.tenantId, sql`asked.id`)} m
      left join lateral (
        select t.bytes from analysed_texts t where t.tenant_id = m.tenant_id and t.memory_id = m.id
          and t.model = ${model} and t.version = m.version limit 1
      ) stored on true
      left join lateral (
        select ${TIMED_TEXT}, ${storedVector(isInline ? null : model)} as vector where stored.bytes is null
      ) lacking on true
    where ${seenBy(viewing.audience)}`.execute(reader.db)
  return rows
}

/** The text of a memory as an answer shows it. */
export interface ShownText {
  readonly id: string
  readonly title: string | null
  readonly content: string
  readonly agentId: string | null
  /** True for what its author stored after a recall had returned it. */
  readonly isEcho: boolean
}

/** Reads the texts of rows that pass the filter now. */
export async function readShownTexts(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
): Promise<ShownText[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<ShownText>`
    select m.id, m.title, m.content, m.agent_id as "agentId", ${isEcho(filter.audience, sql`m.id`, reader.tenantId)} as "isEcho"
    from unnest(${uuids(ids)}) as asked(id) cross join lateral ${memoryRow(filter, reader.tenantId, sql`asked.id`)} m
    where ${passes(filter)}`.execute(reader.db)
  return rows
}

/** Converts a timestamp to milliseconds: the driver parses a number much faster than a date. */
function milliseconds(instant: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${instant}) * 1000)::float8`
}

/** Columns of a `ReadMemory`, of memories m. */
const READ_MEMORY = sql`m.id, m.version, m.memory_type as "memoryType", m.status, m.weight, m.run_id as "runId",
  ${milliseconds(sql`m.created_at`)} as "createdAt", coalesce((
    select recall_count from memory_usage u where u.tenant_id = m.tenant_id and u.memory_id = m.id), 0) as "recallCount"`

/** Columns of a `TimedText` and its language, of memories m. */
const TIMED_TEXT = sql`m.title, m.content, m.language, m.agent_id as "agentId", ${milliseconds(sql`m.run_at`)} as at,
  ${milliseconds(sql`m.valid_end`)} as until`

function storedVector(model: string | null): RawBuilder<unknown> {
  if (model === null) return sql`null::text`
  return sql`(select encode(v.vector, 'base64') from vectors v
    where v.tenant_id = m.tenant_id and v.text_hash = m.text_hash and v.model = ${model})`
}
