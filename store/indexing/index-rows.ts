import { type RawBuilder, sql } from 'kysely'
import { INDEXED_MEMBERS, type IndexedMember, type Memory } from '../../domain/memory-fields.js'
import { selectColumns } from '../memories/columns.js'
import { SEEN_FROM } from '../memories/read-memories.js'
import type { RowSeq } from '../outbox/outbox.js'
import type { PendingKind } from '../schema.js'
import type { Reader } from '../store.js'

/** Members that are not in the index as they are. */
const READ_TOO = ['version', 'title', 'content', 'language', 'metadata', 'systemMetadata'] as const

/** Stored fields that an index document is made from. */
export interface IndexedMemory extends Pick<Memory, IndexedMember | (typeof READ_TOO)[number]> {
  readonly textHash: Buffer
  /** Reference time of time expressions in the text: the caller's valid_start, else created_at. */
  readonly seenFrom: Date
  /** Entities of all links, each once. */
  readonly entityIds: readonly string[]
  /** Entities of the links that were not found by indexing. */
  readonly givenEntityIds: readonly string[]
  /** Names as spelled in the links that the service found. */
  readonly foundNames: readonly string[]
  /** Ascending. */
  readonly nearKeys: readonly number[]
  /** True when the memory is flagged as a near duplicate now. */
  readonly isNearDuplicate: boolean
}

/** Columns of an `IndexedMemory`, read from `memories m` and INDEXED_LINKS. */
const INDEXED_COLUMNS = sql`${selectColumns([...INDEXED_MEMBERS, ...READ_TOO])}, m.text_hash as "textHash", ${SEEN_FROM},
  links."entityIds", links."givenEntityIds", links."foundNames",
  coalesce((select json_agg(k.key order by k.key) from near_keys k
    where k.tenant_id = m.tenant_id and k.memory_id = m.id), '[]') as "nearKeys",
  exists (select from near_duplicates d where d.tenant_id = m.tenant_id and d.memory_id = m.id) as "isNearDuplicate"`

/**
 * Join to `memories m` that INDEXED_COLUMNS needs. A condition on `origin` would become an index condition, and
 * PostgreSQL 18 then considers a skip scan over the index columns before it: it estimates that so high that it reads
 * all entities of the tenant first (at 1,000,000 memories 3 s per batch instead of 0.1 s).
 */
const INDEXED_LINKS = sql`cross join lateral (
    select coalesce(array_agg(distinct l.entity_id), '{}') as "entityIds",
      coalesce(array_agg(distinct l.entity_id) filter (where l.origin <> 'found'), '{}') as "givenEntityIds",
      coalesce(array_agg(l.name) filter (where l.origin = 'found'), '{}') as "foundNames"
    from entity_links l
    where l.tenant_id = m.tenant_id and l.memory_id = m.id
  ) links`

/** A claimed row with its memory; the memory is null when it is deleted or purged, and a tombstone goes into the index. */
export interface IndexRow extends RowSeq {
  readonly memory: IndexedMemory | null
  /** Is the memory while it is deleted: an erasure may still come by a name in its text. */
  readonly deleted?: IndexedMemory
}

/**
 * Reads those claimed rows that still belong to this ticket, with what the index needs, in the order of their ids. Row
 * and `seq` are read by one statement: a document never carries a newer `seq` than its content.
 */
export async function readIndexRows(
  reader: Reader,
  kind: PendingKind,
  ticket: string,
  ids: readonly string[],
): Promise<IndexRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ rowId: string; seq: number } & { [K in keyof IndexedMemory]: IndexedMemory[K] | null }>`
    select p.entity_id as "rowId", p.seq, ${INDEXED_COLUMNS}
    from index_pending p
    left join memories m on m.tenant_id = p.tenant_id and m.id = p.entity_id
      ${INDEXED_LINKS}
    where p.tenant_id = ${reader.tenantId} and p.kind = ${kind} and p.ticket = ${ticket}
      and p.entity_id = any(${ids as string[]}::uuid[])
    order by p.entity_id`.execute(reader.db)
  return rows.map(({ rowId: id, seq, ...columns }) => {
    if (columns.status === null) return { id, seq, memory: null }
    const memory = columns as IndexedMemory
    return memory.status === 'deleted' ? { id, seq, memory: null, deleted: memory } : { id, seq, memory }
  })
}

/** Version of documents that a backfill writes: lower than that of any change, so that every change overwrites them. */
export const BACKFILL_SEQ = 0

/** A page of live rows by id: those greater than `after`, and where they are given, up to `until` and one of `among`. */
export interface LiveRange {
  readonly after: string
  readonly until?: string
  readonly among?: readonly string[]
  readonly limit: number
}

/** Returns the condition that the row of this id is in the range. */
export function isInRange(id: RawBuilder<unknown>, { after, until, among }: LiveRange): RawBuilder<boolean> {
  return sql<boolean>`(${id} > ${after}::uuid ${until === undefined ? sql`` : sql`and ${id} <= ${until}::uuid`}
    ${among === undefined ? sql`` : sql`and ${id} = any(${among as string[]}::uuid[])`})`
}

/** Reads the tenant's live memories of a range, in the order of their ids. */
export async function readLiveRows(reader: Reader, range: LiveRange): Promise<IndexRow[]> {
  const { rows } = await sql<{ rowId: string } & IndexedMemory>`
    select m.id as "rowId", ${INDEXED_COLUMNS} from memories m ${INDEXED_LINKS}
    where m.tenant_id = ${reader.tenantId} and ${isInRange(sql`m.id`, range)} and m.status <> 'deleted'
    order by m.id limit ${range.limit}`.execute(reader.db)
  return rows.map(({ rowId, ...memory }) => ({ id: rowId, seq: BACKFILL_SEQ, memory }))
}
