import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../store.js'

/** What narrows a search of documents. */
export interface DocumentFilter {
  readonly collection: string | undefined
  /** Documents of this fleet or of none. */
  readonly fleetId: string | undefined
  /** Equalities on top-level keys: the values as `fieldValue` (domain/documents) makes them. */
  readonly where: readonly { readonly key: string; readonly value: string }[]
}

/** A document as it is now. */
export interface FoundDocument {
  readonly id: string
  readonly version: number
  readonly collection: string
  readonly docId: string
  /** Unix milliseconds. */
  readonly updatedAt: number
  readonly textHash: Buffer
}

export interface DocumentTail {
  /** Pending documents that pass the filter now, newest change first. */
  readonly ids: readonly string[]
  /** Pending ones that pass no more, or are gone, and of which the index may hold a copy that does. */
  readonly stale: number
  /** False when there is more than was asked for, or than is looked through. */
  readonly complete: boolean
}

/** Pending rows of a tenant that one search looks through. */
const MOST_PENDING = 5_000

/** The pending tail, as `readTail` (memories/recall-rows.ts): read before the engine is asked. */
export async function readDocumentTail(reader: Reader, filter: DocumentFilter, limit: number): Promise<DocumentTail> {
  const { rows } = await sql<{ pending: number; read: { id: string; passing: boolean }[] }>`
    with pending as materialized (
      select p.entity_id, p.seq from index_pending p
      where p.tenant_id = ${reader.tenantId} and p.kind = 'document' and p.settled_at is null
      order by p.seq desc limit ${MOST_PENDING + 1}
    ),
    read as (
      select p.entity_id as id, coalesce(now.passing, false) as passing, p.seq
      from pending p left join lateral (
        select ${passes(filter)} as passing, d.version from documents d
        where d.tenant_id = ${reader.tenantId} and d.id = p.entity_id limit 1
      ) now on true
      where now.passing or now.version is null or now.version > 1
      order by p.seq desc limit ${limit + 1}
    )
    select (select count(*)::int from pending) as pending,
      (select coalesce(json_agg(json_build_object('id', id, 'passing', passing) order by seq desc), '[]') from read) as read`.execute(
    reader.db,
  )
  const { pending, read } = rows[0]!
  const ids = read.filter(({ passing }) => passing).map(({ id }) => id)
  return {
    ids: ids.slice(0, limit),
    stale: read.length - ids.length,
    complete: pending <= MOST_PENDING && read.length <= limit,
  }
}

/** Those of the ids that pass the filter now, whatever the index said; in any order. */
export async function hydrateDocuments(
  reader: Reader,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<FoundDocument[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<FoundDocument>`
    select d.id, d.version, d.collection, d.doc_id as "docId", d.text_hash as "textHash",
      (extract(epoch from d.updated_at) * 1000)::float8 as "updatedAt"
    from unnest(${ids as string[]}::uuid[]) as wanted(id) cross join lateral (
      select * from documents where tenant_id = ${reader.tenantId} and id = wanted.id limit 1
    ) d
    where ${passes(filter)}`.execute(reader.db)
  return rows
}

/** Last changed ones, for when the search engine is away. */
export async function readLastChanged(reader: Reader, filter: DocumentFilter, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from documents d where d.tenant_id = ${reader.tenantId} and ${passes(filter)}
    order by d.updated_at desc, d.id desc limit ${limit}`.execute(reader.db)
  return rows.map((row) => row.id)
}

/** The data of documents by id. */
export async function readData(reader: Reader, ids: readonly string[]): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; data: Record<string, unknown> }>`
    select d.id, d.data from documents d
    where d.tenant_id = ${reader.tenantId} and d.id = any(${ids as string[]}::uuid[])`.execute(reader.db)
  return new Map(rows.map(({ id, data }) => [id, data]))
}

/** What a row d must be for a search to return it, now. */
function passes({ collection, fleetId, where }: DocumentFilter): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(collection === undefined ? [] : [sql`d.collection = ${collection}`]),
    ...(fleetId === undefined ? [] : [sql`(d.fleet_id is null or d.fleet_id = ${fleetId})`]),
    ...where.map(
      ({ key, value }) => sql`exists (select from document_fields f where f.tenant_id = d.tenant_id
        and f.document_id = d.id and f.key = ${key} and f.value = ${value})`,
    ),
  ]
  return sql.join(conditions, sql` and `)
}
