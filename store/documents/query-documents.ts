import { type RawBuilder, sql } from 'kysely'
import type { Field } from '../../domain/documents/fields.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { rowOf } from '../row-of.js'
import type { Reader } from '../store.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { type DocumentRow, isWithinBounds, ofFleetOrNone } from './document-row.js'
import { readPageOfDocuments } from './read-documents.js'

/** Sort key of a list: a field that every document has, or a top-level key of its data. */
export type DocumentOrder = 'created_at' | 'updated_at' | 'doc_id' | { readonly key: string }

/** Cursor of a list, the last row of the page before. `value` is its sort value, null for a document that lacks the key. */
export interface DocumentCursor {
  readonly value: string | null
  readonly id: string
}

export interface DocumentQuery {
  readonly collection: string
  /** Conditions that all must hold; each key occurs once. */
  readonly where: readonly Field[]
  /** Documents of this fleet or of none. */
  readonly fleetId?: string | undefined
  /** Whose fleet-bound skills are seen; all when undefined. */
  readonly bounds?: BoundFleets | undefined
  readonly orderBy: DocumentOrder
  readonly order: 'asc' | 'desc'
  readonly after?: DocumentCursor | undefined
  readonly limit: number
}

/**
 * Returns a page of documents, and whether more follow; a page of large documents is shorter. Documents that lack the
 * sort key come last, in the order of their creation.
 */
export async function queryDocuments(
  reader: Reader,
  query: DocumentQuery,
): Promise<{ rows: DocumentRow[]; hasMore: boolean }> {
  const ids = await findIds(reader, { ...query, limit: query.limit + 1 })
  const rows = await readPageOfDocuments(reader, ids.slice(0, query.limit))
  return { rows, hasMore: ids.length > rows.length }
}

/**
 * Finds the ids of a page. Row level security hides the selectivity of values from the planner, and one plan is made
 * for all of them; so the leading index is chosen here, by counting the documents of each equality up to `FEW_DOCUMENTS`. A few
 * are all read and sorted. Of many, documents are read in the sort order from an index that has it, and each is checked
 * by its key until the page is full: laterals with a limit keep the plan so.
 */
async function findIds(reader: Reader, query: DocumentQuery): Promise<string[]> {
  const { where, orderBy } = query
  if (where.length === 0) return walk(reader, query, [])
  const counts = await countsOf(reader, query)
  const rarest = counts.indexOf(Math.min(...counts))
  const others = where.filter((_, i) => i !== rarest)
  if (orderBy === 'created_at') return idsOf(reader, fieldWalk(reader, query, where[rarest]!, others))
  if (counts[rarest]! <= FEW_DOCUMENTS) return idsOf(reader, sorted(reader, query, where[rarest]!, others))
  return walk(reader, query, where)
}

/** Number of documents that can be read and sorted in a few ms. */
const FEW_DOCUMENTS = 500

async function countsOf(reader: Reader, { collection, where }: DocumentQuery): Promise<number[]> {
  const { rows } = await countQuery(reader, collection, where).execute(reader.db)
  return rows.map(({ count }) => count)
}

/**
 * Counts the documents of each equality, up to `FEW_DOCUMENTS` + 1. Exported, like the queries below, so that a test can check
 * its plan.
 */
function countQuery({ tenantId }: Reader, collection: string, where: readonly Field[]): RawBuilder<{ count: number }> {
  return sql`
    select (select count(*) from (
      select from document_fields f where f.tenant_id = ${tenantId} and f.collection = ${collection} and f.key = w.key and f.value = w.value
      limit ${FEW_DOCUMENTS + 1}) few)::int as count
    from unnest(${where.map(({ key }) => key)}::text[], ${where.map(({ value }) => value)}::text[]) with ordinality as w(key, value, place)
    order by place`
}

async function walk(reader: Reader, query: DocumentQuery, where: readonly Field[]): Promise<string[]> {
  const { orderBy, after, limit } = query
  if (typeof orderBy === 'string') return idsOf(reader, documentWalk(reader, query, where))
  const having = after?.value === null ? [] : await idsOf(reader, keyWalk(reader, query, where))
  if (having.length === limit) return having
  const rest = { ...query, limit: limit - having.length, after: after?.value === null ? after : undefined }
  return [...having, ...(await idsOf(reader, lackingWalk(reader, rest, where)))]
}

async function idsOf(reader: Reader, found: RawBuilder<{ id: string }>): Promise<string[]> {
  return (await found.execute(reader.db)).rows.map(({ id }) => id)
}

/** Selects documents in the order of a field that all of them have. */
function documentWalk(reader: Reader, query: DocumentQuery, where: readonly Field[]): RawBuilder<{ id: string }> {
  const columns = builtInOrder(query)
  return sql`
    select d.id from documents d ${withFields(reader, where)}
    where d.tenant_id = ${reader.tenantId} and d.collection = ${query.collection} ${inFleet(query)} ${columns.after}
    order by ${columns.order} limit ${query.limit}`
}

/** Selects documents that have a value, in the order of their creation, which is that of their ids. */
function fieldWalk(
  reader: Reader,
  query: DocumentQuery,
  { key, value }: Field,
  others: readonly Field[],
): RawBuilder<{ id: string }> {
  return sql`
    select d.id from (
      select f.document_id as id from document_fields f
      where f.tenant_id = ${reader.tenantId} and f.collection = ${query.collection} and f.key = ${key} and f.value = ${value}
        ${afterId(query, sql`f.document_id`)}
      order by f.document_id ${direction(query)}
    ) d ${inFleetOf(reader, query)} ${withFields(reader, others)} order by d.id ${direction(query)} limit ${query.limit}`
}

/** Selects documents that have the sort key, in its order. */
function keyWalk(reader: Reader, query: DocumentQuery, where: readonly Field[]): RawBuilder<{ id: string }> {
  const { key } = query.orderBy as { key: string }
  const { after } = query
  const beyond = after
    ? sql`and (f.value, f.document_id) ${comparison(query)} (${after.value}::text collate "C", ${after.id}::uuid)`
    : sql``
  return sql`
    select d.id from (
      select f.document_id as id, f.value from document_fields f
      where f.tenant_id = ${reader.tenantId} and f.collection = ${query.collection} and f.key = ${key} ${beyond}
      order by f.value ${direction(query)}, f.document_id ${direction(query)}
    ) d ${inFleetOf(reader, query)} ${withFields(reader, where)}
    order by d.value ${direction(query)}, d.id ${direction(query)} limit ${query.limit}`
}

/** Selects documents that lack the sort key, in the order of their creation. */
function lackingWalk(reader: Reader, query: DocumentQuery, where: readonly Field[]): RawBuilder<{ id: string }> {
  const { key } = query.orderBy as { key: string }
  return sql`
    select d.id from documents d left join lateral (
      select true as has from document_fields k where k.tenant_id = ${reader.tenantId} and k.document_id = d.id and k.key = ${key} limit 1
    ) k on true ${withFields(reader, where)}
    where d.tenant_id = ${reader.tenantId} and d.collection = ${query.collection} and k.has is null ${inFleet(query)}
      ${afterId(query, sql`d.id`)}
    order by d.id ${direction(query)} limit ${query.limit}`
}

/** Selects all documents that have a rare value, and sorts them. */
function sorted(
  reader: Reader,
  query: DocumentQuery,
  { key, value }: Field,
  others: readonly Field[],
): RawBuilder<{ id: string }> {
  const { tenantId } = reader
  const { orderBy } = query
  const columns = typeof orderBy === 'string' ? builtInOrder(query) : keyOrder(query)
  const ordering =
    typeof orderBy === 'string'
      ? sql``
      : sql`left join lateral (
          select k.value from document_fields k where k.tenant_id = ${tenantId} and k.document_id = d.id and k.key = ${orderBy.key} limit 1
        ) k on true`
  return sql`
    select d.id from unnest(array(
      select f.document_id from document_fields f
      where f.tenant_id = ${tenantId} and f.collection = ${query.collection} and f.key = ${key} and f.value = ${value}
    )) as rare(id) cross join lateral ${rowOf('documents', tenantId, sql`rare.id`)} d ${ordering} ${withFields(reader, others)}
    where true ${inFleet(query)} ${columns.after} order by ${columns.order} limit ${query.limit}`
}

/** Returns nothing, or a join that keeps those rows `d` that have all of the values, looked up by the document's id. */
function withFields({ tenantId }: Reader, where: readonly Field[]): RawBuilder<unknown> {
  if (where.length === 0) return sql``
  return sql`cross join lateral (
    select from (
      select count(*) as count
      from unnest(${where.map(({ key }) => key)}::text[], ${where.map(({ value }) => value)}::text[]) as w(key, value)
        join document_fields p on p.tenant_id = ${tenantId} and p.document_id = d.id and p.key = w.key and p.value = w.value
    ) held where held.count = ${where.length}
  ) holds`
}

interface Ordering {
  readonly order: RawBuilder<unknown>
  /** The further condition that a row follows the cursor. */
  readonly after: RawBuilder<unknown>
}

/** Orders `documents d` by a field that all of them have. */
function builtInOrder(query: DocumentQuery): Ordering {
  const { orderBy, after } = query
  const by = direction(query)
  if (orderBy === 'created_at') return { order: sql`d.id ${by}`, after: afterId(query, sql`d.id`) }
  if (orderBy === 'doc_id')
    return { order: sql`d.doc_id ${by}`, after: after ? sql`and d.doc_id ${comparison(query)} ${after.value}` : sql`` }
  return {
    order: sql`d.updated_at ${by}, d.id ${by}`,
    after: after
      ? sql`and (d.updated_at, d.id) ${comparison(query)} (${after.value}::timestamptz, ${after.id}::uuid)`
      : sql``,
  }
}

/** Orders by the key's value `k.value`, nulls last. */
function keyOrder(query: DocumentQuery): Ordering {
  const { after } = query
  const by = direction(query)
  const order = sql`k.value is null, k.value ${by}, d.id ${by}`
  if (!after) return { order, after: sql`` }
  if (after.value === null) return { order, after: sql`and k.value is null ${afterId(query, sql`d.id`)}` }
  const beyond = sql`(k.value, d.id) ${comparison(query)} (${after.value}::text collate "C", ${after.id}::uuid)`
  return { order, after: sql`and (k.value is null or ${beyond})` }
}

function afterId(query: DocumentQuery, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return query.after ? sql`and ${column} ${comparison(query)} ${query.after.id}::uuid` : sql``
}

function direction({ order }: DocumentQuery): RawBuilder<unknown> {
  return order === 'asc' ? sql`asc` : sql`desc`
}

function comparison({ order }: DocumentQuery): RawBuilder<unknown> {
  return order === 'asc' ? sql`>` : sql`<`
}

/** Returns the condition that a row of `documents d` belongs to the query's fleet or to none, and is within its bounds. */
function inFleet(query: DocumentQuery): RawBuilder<unknown> {
  return isOpen(query) ? sql`` : sql`and ${seenIn('d', query)}`
}

/** Returns whether a query takes documents of every fleet: only skills are bound to one. */
function isOpen({ collection, fleetId, bounds = 'all' }: DocumentQuery): boolean {
  return fleetId === undefined && (bounds === 'all' || collection !== SKILLS_COLLECTION)
}

function seenIn(alias: 'd' | 'o', { collection, fleetId, bounds = 'all' }: DocumentQuery): RawBuilder<boolean> {
  const ofFleet = ofFleetOrNone(alias, fleetId)
  return collection === SKILLS_COLLECTION ? sql`${ofFleet} and ${isWithinBounds(alias, bounds)}` : ofFleet
}

/** Returns the same condition for rows `d` that have only an id. */
function inFleetOf({ tenantId }: Reader, query: DocumentQuery): RawBuilder<unknown> {
  if (isOpen(query)) return sql``
  return sql`cross join lateral (
    select from documents o where o.tenant_id = ${tenantId} and o.id = d.id and ${seenIn('o', query)} limit 1
  ) belongs`
}
