import { type RawBuilder, sql } from 'kysely'
import type { DocumentMetadata } from '../../domain/documents/document.js'
import type { FieldCondition } from '../../domain/documents/fields.js'
import type { FilterExpression } from '../../domain/filters/expression.js'
import { readPendingTail, type Tail } from '../outbox/pending-tail.js'
import { rowOf } from '../rows-by-id.js'
import type { Reader } from '../store.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import type { Language } from '../../domain/text/language.js'
import {
  bytesBefore,
  isInLanguages,
  isWithinBounds,
  languageColumn,
  ofFleetOrNone,
  PAGE_BYTES,
} from './document-row.js'
import { anyOf } from '../conditions.js'
import { rowMeets, rowMeetsAsStored } from './field-conditions.js'
import { documentMeetsFilter, readsData } from './filter-condition.js'

/** Conditions of a document search. */
export interface DocumentFilter {
  readonly collection: string | undefined
  /** Documents of this fleet or of none. */
  readonly fleetId: string | undefined
  /** Whose fleet-bound skills are seen; all when undefined. */
  readonly bounds?: BoundFleets | undefined
  /** Languages of which a document has one; all when undefined. */
  readonly languages?: readonly Language[] | undefined
  /** Conditions that all must hold. */
  readonly where: readonly FieldCondition[]
  /** A caller's filter, which the data decides; none when undefined. */
  readonly expression?: FilterExpression | undefined
}

/** Fields of a document that are read before it is scored. */
export interface FoundDocument {
  readonly id: string
  readonly version: number
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** A document that passes the filter, or may: then its data decides whether it does (unlisted-members.ts). */
export interface HydratedDocument extends FoundDocument {
  readonly isDecided: boolean
}

/** A document whose data was read. */
export interface ReadDocument extends FoundDocument {
  readonly passes: boolean
  /** Size of its data, uncompressed. */
  readonly bytes: number
}

/** Fields that a document's text is made from, at one version. */
export interface DocumentContent {
  readonly id: string
  readonly version: number
  readonly data: Record<string, unknown>
  readonly language: Language | null
  readonly textHash: Buffer
}

/** A document as a response shows it. */
export interface HitRow {
  readonly id: string
  readonly collection: string
  readonly docId: string
  readonly fleetId: string | null
  readonly data: Record<string, unknown>
  readonly systemMetadata: DocumentMetadata
  readonly updatedAt: Date
}

/** Reads pending documents that pass the filter or may (`readPendingTail`). */
export function readDocumentTail(reader: Reader, filter: DocumentFilter, limit: number): Promise<Tail> {
  const row = sql`${rowOf('documents', reader.tenantId, sql`p.entity_id`)} d`
  // Documents do not expire.
  return readPendingTail(
    reader,
    'document',
    { row, passing: mayPass(reader, filter), hasJustExpired: sql<boolean>`false` },
    limit,
  )
}

/**
 * Returns those documents among the ids that pass the filter now or may, whatever the index said; in any order. Reads no data. They come as
 * one text of lines `id version milliseconds decided`, like the rows of memories (`readCandidates`).
 */
export async function hydrateDocuments(
  reader: Reader,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<HydratedDocument[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ read: string | null }>`
    select string_agg(concat_ws(' ', d.id, d.version, ${UPDATED_MS}, (coalesce(stored.met, false) and ${!readsData(filter.expression)})::int), E'\n') as read
    from unnest(${ids as string[]}::uuid[]) as wanted(id)
      cross join lateral ${rowOf('documents', reader.tenantId, sql`wanted.id`)} d
      cross join lateral (select ${rowMeetsAsStored(reader, filter.where)} as met offset 0) stored
    where ${isSeen(filter)} and stored.met is not false`.execute(reader.db)
  return (rows[0]?.read?.split('\n') ?? []).map((line) => {
    const [id, version, updatedAt, decided] = line.split(' ')
    return { id: id!, version: Number(version), updatedAt: Number(updatedAt), isDecided: decided === '1' }
  })
}

/** Reads the data of these documents, and returns whether they pass the filter now; in any order. */
export async function readUndecided(
  reader: Reader,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<ReadDocument[]> {
  // What an operator returns is not compressed: no condition decompresses it again, and its size is that of the value.
  const { rows } = await sql<ReadDocument>`
    select d.id, d.version, ${UPDATED_MS}::float8 as "updatedAt", pg_column_size(d.data) as bytes, ${passes(reader, filter)} as passes
    from unnest(${ids as string[]}::uuid[]) as wanted(id) cross join lateral (
      select o.id, o.version, o.collection, o.doc_id, o.fleet_id, o.created_at, o.updated_at, o.members_stored, o.language, o.language_version, o.data || '{}'::jsonb as data
      from ${rowOf('documents', reader.tenantId, sql`wanted.id`)} o offset 0
    ) d`.execute(reader.db)
  return rows
}

/** Unix milliseconds of a change of `documents d`. */
const UPDATED_MS = sql`(extract(epoch from d.updated_at) * 1000)::bigint`

/** Returns the ids of the documents that changed last of those that pass the filter or may, for use while the search engine is unavailable. */
export async function readLastChanged(reader: Reader, filter: DocumentFilter, limit: number): Promise<string[]> {
  const rows = await reader.db
    .selectFrom('documents as d')
    .select('d.id')
    .where('d.tenant_id', '=', reader.tenantId)
    .where(mayPass(reader, filter))
    .orderBy('d.updated_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the contents of those documents that exist, each at its current version; in any order. */
export async function readContents({ db, tenantId }: Reader, ids: readonly string[]): Promise<DocumentContent[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('documents as d')
    .select(['id', 'version', 'data', 'text_hash as textHash', languageColumn('d').as('language')])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .execute()
}

/**
 * Returns those documents among the ids that pass the filter now, in this order, as many as fit one response, at least
 * one. `complete` is false when some did not fit.
 */
export async function readHits(
  reader: Reader,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<{ rows: HitRow[]; complete: boolean }> {
  if (ids.length === 0) return { rows: [], complete: true }
  const { rows } = await sql<HitRow & { passing: number }>`
    select d.* from (
      select d.id, d.collection, d.doc_id as "docId", d.fleet_id as "fleetId", d.data, d.system_metadata as "systemMetadata", d.updated_at as "updatedAt", place,
        ${bytesBefore(sql`place`)} as before, count(*) over ()::int as passing
      from unnest(${ids as string[]}::uuid[]) with ordinality as asked(id, place)
        cross join lateral ${rowOf('documents', reader.tenantId, sql`asked.id`)} d
      where ${passes(reader, filter)}
    ) d where d.before < ${PAGE_BYTES} order by d.place`.execute(reader.db)
  return { rows, complete: rows.length === (rows[0]?.passing ?? 0) }
}

/** Returns the conditions that a row `d` must meet now for a search to return it. */
function passes(reader: Reader, filter: DocumentFilter): RawBuilder<boolean> {
  const ofData = readsData(filter.expression) ? documentMeetsFilter('d', filter.expression) : sql<boolean>`true`
  return sql<boolean>`${isSeen(filter)} and ${rowMeets(reader, filter.where)} and ${ofData}`
}

/** Returns those of them that are checked without reading data. */
function mayPass(reader: Reader, filter: DocumentFilter): RawBuilder<boolean> {
  return sql<boolean>`${isSeen(filter)} and (${rowMeetsAsStored(reader, filter.where)}) is not false`
}

/** Returns the conditions that neither the data nor the tables of values decide. */
function isSeen({ collection, fleetId, bounds = 'all', languages, expression }: DocumentFilter): RawBuilder<boolean> {
  const conditions = [
    ...(collection === undefined ? [] : [sql`d.collection = ${collection}`]),
    ofFleetOrNone('d', fleetId),
    isWithinBounds('d', bounds),
    isInLanguages('d', languages),
    ...(readsData(expression) ? [] : [documentMeetsFilter('d', expression)]),
  ]
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}
