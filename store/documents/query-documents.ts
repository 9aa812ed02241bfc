import { type RawBuilder, sql } from 'kysely'
import type { FieldCondition } from '../../domain/documents/fields.js'
import type { FilterExpression } from '../../domain/filters/expression.js'
import type { Language } from '../../domain/text/language.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { rowOf } from '../rows-by-id.js'
import type { Keyset } from '../keyset.js'
import type { Reader } from '../store.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { countsOf, FEW_DOCUMENTS, fewOf, havingAny } from './condition-sources.js'
import { type DocumentRow, isInLanguages, isWithinBounds, ofFleetOrNone } from './document-row.js'
import { documentMeets, rowMeets } from './field-conditions.js'
import { documentMeetsFilter } from './filter-condition.js'
import { readPageOfDocuments } from './read-documents.js'
import { longListsAt, unstoredIn } from './unlisted-members.js'
import { type Source, storedValues, VALUE_TABLES, valuesAt } from './value-tables.js'

/** Sort key of a list: a field that every document has, or a top-level key of its data. */
export type DocumentOrder = 'created_at' | 'updated_at' | 'doc_id' | { readonly key: string }

/** Place of a document in a list. `value` is its sort value, null for a document that lacks the key. */
export interface DocumentCursor {
  readonly value: string | null
  readonly id: string
}

export interface DocumentQuery extends Keyset<DocumentCursor> {
  readonly collection: string
  /** Conditions that all must hold; each key occurs once. */
  readonly where: readonly FieldCondition[]
  /** Documents of this fleet or of none. */
  readonly fleetId?: string | undefined
  /** Whose fleet-bound skills are seen; all when undefined. */
  readonly bounds?: BoundFleets | undefined
  readonly language?: Language | undefined
  /** A caller's filter, which the data of each document decides; none when undefined. */
  readonly expression?: FilterExpression | undefined
  readonly orderBy: DocumentOrder
  readonly order: 'asc' | 'desc'
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
 * for all of them; so the leading index is chosen here, by counting the documents of each condition up to `FEW_DOCUMENTS`. A few
 * are all read and sorted. Of many, documents are read in the sort order from an index that has it, and each is checked
 * by its key until the page is full: laterals with a limit keep the plan so.
 */
async function findIds(reader: Reader, query: DocumentQuery): Promise<string[]> {
  const { where, orderBy } = query
  if (where.length === 0) return walk(reader, query, { where, unstored: false })
  const { counts, unstored } = await countsOf(reader, query)
  const totals = counts.map(({ having, longLists }) => having + longLists + unstored)
  const rarest = totals.indexOf(Math.min(...totals))
  const lead = { where, index: rarest, longLists: counts[rarest]!.longLists > 0, unstored: unstored > 0 }
  if (orderBy === 'created_at') return valueWalk(reader, query, lead)
  if (totals[rarest]! <= FEW_DOCUMENTS) return idsOf(reader, sorted(reader, query, lead))
  return walk(reader, query, lead)
}

/** The conditions, and whether the collection has documents whose members of lists are not stored. */
interface Filter {
  readonly where: readonly FieldCondition[]
  readonly unstored: boolean
}

/** A filter, one of whose conditions leads to the documents. */
interface LeadFilter extends Filter {
  readonly index: number
  /** True where documents of the collection have too long a list at its key. */
  readonly longLists: boolean
}

async function walk(reader: Reader, query: DocumentQuery, filter: Filter): Promise<string[]> {
  const { orderBy, after, limit } = query
  if (typeof orderBy === 'string') return idsOf(reader, documentWalk(reader, query, filter))
  const having = after?.value === null ? [] : await idsOf(reader, keyWalk(reader, query, filter))
  if (having.length === limit) return having
  const rest = { ...query, limit: limit - having.length, after: after?.value === null ? after : undefined }
  return [...having, ...(await idsOf(reader, lackingWalk(reader, rest, filter)))]
}

async function idsOf(reader: Reader, found: RawBuilder<{ id: string }>): Promise<string[]> {
  return (await found.execute(reader.db)).rows.map(({ id }) => id)
}

/** Selects documents in the order of a field that all of them have. */
function documentWalk(reader: Reader, query: DocumentQuery, { where }: Filter): RawBuilder<{ id: string }> {
  const columns = builtInOrder(query)
  return sql`
    select d.id from documents d
    where d.tenant_id = ${reader.tenantId} and d.collection = ${query.collection} ${inFleet(query)} ${columns.after}
      and ${rowMeets(reader, where)}
    order by ${columns.order} limit ${query.limit}`
}

/**
 * Finds documents in the order of their creation, which is that of their ids: first by the index entries of the leading condition's
 * values, then those whose data must be read, which are few, as far as the page reaches.
 */
async function valueWalk(reader: Reader, query: DocumentQuery, lead: LeadFilter): Promise<string[]> {
  const { where, index, longLists, unstored } = lead
  const { collection, limit } = query
  const { key } = where[index]!
  const others = where.filter((_, i) => i !== index)
  const each = sql`unnest(${storedValues(where[index]!)}::text[]) as v(value) cross join lateral `
  const having = VALUE_TABLES.map((table) => {
    const source = valuesAt(reader, collection, { table, key, isWanted: sql`f.value = v.value` })
    return sql`${each} ${pageOf(reader, query, source, { where: others, unstored })}`
  })
  const ids = await idsOf(reader, firstOf(query, having))
  const sources = [
    ...(longLists ? [longListsAt(reader, collection, key)] : []),
    ...(unstored ? [unstoredIn(reader, collection)] : []),
  ]
  if (sources.length === 0) return ids
  const last = ids.length === limit ? ids.at(-1) : undefined
  const read = await idsOf(
    reader,
    firstOf(
      query,
      sources.map((source) => pageOf(reader, query, source, lead, last)),
    ),
  )
  const all = [...new Set([...ids, ...read])].sort()
  return (query.order === 'asc' ? all : all.reverse()).slice(0, limit)
}

/** Selects a page of a source's documents that meet the conditions, up to the id `last`. */
function pageOf(reader: Reader, query: DocumentQuery, { from, id }: Source, filter: Filter, last?: string) {
  const by = direction(query)
  const upTo = last === undefined ? sql`` : sql`and not ${id} ${comparison(query)} ${last}::uuid`
  return sql`(
    select d.id from (select ${id} as id from ${from} ${afterId(query, id)} ${upTo} order by ${id} ${by}) d ${inFleetOf(reader, query)}
    where ${documentMeets(reader, filter.where, filter)} order by d.id ${by} limit ${query.limit}) p`
}

/** Selects the first of several pages' documents. */
function firstOf(query: DocumentQuery, pages: readonly RawBuilder<unknown>[]): RawBuilder<{ id: string }> {
  const ids = pages.map((page) => sql`select p.id from ${page}`)
  return sql`select id from (${sql.join(ids, sql` union all `)}) pages group by id order by id ${direction(query)} limit ${query.limit}`
}

/** Selects documents that have the sort key, in its order. */
function keyWalk(reader: Reader, query: DocumentQuery, filter: Filter): RawBuilder<{ id: string }> {
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
    ) d ${inFleetOf(reader, query)} where ${documentMeets(reader, filter.where, filter)}
    order by d.value ${direction(query)}, d.id ${direction(query)} limit ${query.limit}`
}

/** Selects documents that lack the sort key, in the order of their creation. */
function lackingWalk(reader: Reader, query: DocumentQuery, { where }: Filter): RawBuilder<{ id: string }> {
  const { key } = query.orderBy as { key: string }
  return sql`
    select d.id from documents d left join lateral (
      select true as has from document_fields k where k.tenant_id = ${reader.tenantId} and k.document_id = d.id and k.key = ${key} limit 1
    ) k on true
    where d.tenant_id = ${reader.tenantId} and d.collection = ${query.collection} and k.has is null ${inFleet(query)}
      ${afterId(query, sql`d.id`)} and ${rowMeets(reader, where)}
    order by d.id ${direction(query)} limit ${query.limit}`
}

/** Selects all documents that meet a condition which few meet, and sorts them. */
function sorted(
  reader: Reader,
  query: DocumentQuery,
  { where, index, unstored }: LeadFilter,
): RawBuilder<{ id: string }> {
  const { tenantId } = reader
  const { orderBy, collection } = query
  const condition = where[index]!
  const sources = [...havingAny(reader, collection, condition), longListsAt(reader, collection, condition.key)]
  if (unstored) sources.push(unstoredIn(reader, collection))
  const columns = typeof orderBy === 'string' ? builtInOrder(query) : keyOrder(query)
  const ordering =
    typeof orderBy === 'string'
      ? sql``
      : sql`left join lateral (
          select k.value from document_fields k where k.tenant_id = ${tenantId} and k.document_id = d.id and k.key = ${orderBy.key} limit 1
        ) k on true`
  return sql`
    select d.id from unnest(array(
      select distinct id from (${fewOf(sources)}) entries
    )) as rare(id) cross join lateral ${rowOf('documents', tenantId, sql`rare.id`)} d ${ordering}
    where ${rowMeets(reader, where)} ${inFleet(query)} ${columns.after} order by ${columns.order} limit ${query.limit}`
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

/** Returns the condition that a row of `documents d` belongs to the query's fleet or to none, is within its bounds and in its language, and meets its filter. */
function inFleet(query: DocumentQuery): RawBuilder<unknown> {
  return isOpen(query) ? sql`` : sql`and ${seenIn('d', query)}`
}

/** Returns whether a query takes documents of every fleet and language, and has no filter: only skills are bound to a fleet. */
function isOpen({ collection, fleetId, bounds = 'all', language, expression }: DocumentQuery): boolean {
  return (
    fleetId === undefined &&
    language === undefined &&
    expression === undefined &&
    (bounds === 'all' || collection !== SKILLS_COLLECTION)
  )
}

function seenIn(
  alias: 'd' | 'o',
  { collection, fleetId, bounds = 'all', language, expression }: DocumentQuery,
): RawBuilder<boolean> {
  const inLanguage = isInLanguages(alias, language === undefined ? undefined : [language])
  const ofFleet = sql<boolean>`${ofFleetOrNone(alias, fleetId)} and ${inLanguage}`
  const isSeen =
    collection === SKILLS_COLLECTION ? sql<boolean>`${ofFleet} and ${isWithinBounds(alias, bounds)}` : ofFleet
  return sql<boolean>`${isSeen} and ${documentMeetsFilter(alias, expression)}`
}

/** Returns the same condition for rows `d` that have only an id. */
function inFleetOf({ tenantId }: Reader, query: DocumentQuery): RawBuilder<unknown> {
  if (isOpen(query)) return sql``
  return sql`cross join lateral (
    select from documents o where o.tenant_id = ${tenantId} and o.id = d.id and ${seenIn('o', query)} limit 1
  ) belongs`
}
