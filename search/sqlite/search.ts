import type { Audience } from '../../domain/visibility.js'
import { clampSize, MAX_HITS } from '../limits.js'
import type { CorpusStatistics, Leg, SearchAnswer, SearchHit, SearchRequest } from '../search-index.js'
import { queryTerms } from '../terms.js'
import { usableVector } from '../vectors.js'
import type { Connection } from './connection.js'
import { readFrequencies, readTotals } from './counts.js'
import { filterCondition, type Condition } from './filters.js'
import { readMark } from './mark.js'
import { isDamage } from './file-shape.js'
import { matchAny, tokenOf } from './tokens.js'

/**
 * Runs all legs and the statistics on one snapshot. Throws only for errors of the file; a leg's own error is named in
 * `failed`.
 */
export function search(connection: Connection, tenantId: string, request: SearchRequest): SearchAnswer {
  connection.exec('begin')
  try {
    const tenant = readTenant(connection, tenantId)
    const answer = tenant === null ? emptyAnswer(request) : searchTenant(connection, tenant, request)
    return { ...answer, mark: readMark(connection) }
  } finally {
    connection.exec('commit')
  }
}

/** Arguments that all legs share. */
interface Scope {
  readonly connection: Connection
  readonly tenant: number
  readonly filter: Condition
  readonly size: number
}

function readTenant(connection: Connection, tenantId: string): number | null {
  return connection.all<[number]>('select number from tenants where tenant = ?', [tenantId])[0]?.[0] ?? null
}

type AnswerWithoutMark = Omit<SearchAnswer, 'mark'>

function searchTenant(connection: Connection, tenant: number, request: SearchRequest): AnswerWithoutMark {
  const filter = filterCondition(tenant, request.filter)
  const scope = { connection, tenant, filter, size: clampSize(request.size) }
  const legs: Partial<Record<Leg, readonly SearchHit[]>> = {}
  const failed: Leg[] = []
  const run = (leg: Leg, search: () => SearchHit[]) => {
    try {
      legs[leg] = search()
    } catch (error) {
      if (isDamage(error)) throw error
      failed.push(leg)
    }
  }
  const { vector, keyword, entity } = request
  if (vector) run('vector', () => nearest(scope, vector.vector))
  if (keyword) run('keyword', () => byKeyword(scope, keyword.terms))
  if (entity) run('entity', () => byEntity(scope, entity.entityIds))
  const { frequenciesOf: asked, filter: wanted } = request
  return { legs, failed, statistics: asked ? statistics(connection, tenant, asked, wanted.audience) : null }
}

function emptyAnswer(request: SearchRequest): AnswerWithoutMark {
  const asked = (['vector', 'keyword', 'entity'] as const).filter((leg) => request[leg] !== undefined)
  const frequency = new Map((request.frequenciesOf ?? []).map((term) => [term, 0]))
  return {
    legs: Object.fromEntries(asked.map((leg) => [leg, []])),
    failed: [],
    statistics: request.frequenciesOf ? { documents: 0, averageLength: 0, frequency } : null,
  }
}

/** Ranks by FTS5's own bm25(), which is negative and best at its lowest. */
function byKeyword({ connection, tenant, filter, size }: Scope, terms: readonly string[]): SearchHit[] {
  const tokens = [...queryTerms(terms).keys()].map((term) => tokenOf(tenant, term))
  if (tokens.length === 0) return []
  // `cross join` keeps the full-text table first: the planner has no statistics for it.
  const rows = connection.all<[string, number]>(
    `select d.id, -p.rank from postings p cross join documents d on d.rowid = p.rowid
     where p.tokens match ? and ${filter.sql} order by p.rank limit ?`,
    [matchAny(tokens), ...filter.binds, size],
  )
  return rows.map(([id, score]) => ({ id, score }))
}

/** Unfiltered neighbours that are read for each requested hit. */
const READ_AHEAD = 4

/**
 * Returns exactly the k nearest that pass the filter. Most filters let most rows pass, so the unfiltered nearest are
 * read first; evaluating the filter for every row takes as long as the distances and is done only when those were too
 * few.
 */
function nearest(scope: Scope, vector: Float32Array): SearchHit[] {
  const usable = usableVector(vector)
  if (usable === null) return []
  const query = bytesOf(usable)
  const rows = nearestOfAll(scope, query) ?? nearestThatPass(scope, query)
  return rows.map(([id, distance]) => ({ id, score: Math.max(-1, Math.min(1, 1 - distance)) }))
}

type NearestRow = [id: string, distance: number]

/** Returns null when too few of the rows that were read pass and there are more. */
function nearestOfAll({ connection, tenant, filter, size }: Scope, query: Uint8Array): NearestRow[] | null {
  const read = Math.min(MAX_HITS, READ_AHEAD * size)
  const rows = connection.all<[id: string, distance: number, passes: number]>(
    `select d.id, v.distance, ${filter.sql}
     from (select rowid, distance from vectors where embedding match ? and k = ? and tenant = ?) v
       join documents d on d.rowid = v.rowid
     order by v.distance`,
    [...filter.binds, query, read, tenant],
  )
  const passing = rows.filter(([, , passes]) => passes === 1)
  if (passing.length < size && rows.length === read) return null
  return passing.slice(0, size).map(([id, distance]) => [id, distance])
}

/**
 * Filters inside the scan with `rowid in (…)`; a plain condition beside MATCH would only filter the k nearest
 * afterwards.
 */
function nearestThatPass({ connection, tenant, filter, size }: Scope, query: Uint8Array): NearestRow[] {
  const first = tenant * 2 ** 32
  return connection.all<NearestRow>(
    `select d.id, v.distance
     from (
       select rowid, distance from vectors
       where embedding match ? and k = ? and tenant = ?
         and rowid in (select d.rowid from documents d where d.rowid between ? and ? and ${filter.sql})
     ) v join documents d on d.rowid = v.rowid
     order by v.distance`,
    [query, size, tenant, first, first + 2 ** 32 - 1, ...filter.binds],
  )
}

function byEntity({ connection, tenant, filter, size }: Scope, entityIds: readonly string[]): SearchHit[] {
  const rows = connection.all<[string, number]>(
    `select d.id, count(*) as matches
     from document_entities e join documents d on d.rowid = e.document
     where e.tenant = ? and e.entity_id in (select value from json_each(?)) and ${filter.sql}
     group by d.rowid order by matches desc, d.created_at desc limit ?`,
    [tenant, JSON.stringify(entityIds), ...filter.binds, size],
  )
  return rows.map(([id, score]) => ({ id, score }))
}

/** Counts what the audience sees of the tenant: its documents, their terms, and those with each term. */
function statistics(
  connection: Connection,
  tenant: number,
  asked: readonly string[],
  audience: Audience,
): CorpusStatistics {
  const terms = queryTerms(asked)
  const tokens = [...terms.keys()].map((stored) => tokenOf(tenant, stored))
  const totals = readTotals(connection, tenant, audience)
  const frequencies = readFrequencies(connection, tokens, audience)
  return {
    documents: totals.documents,
    averageLength: totals.documents === 0 ? 0 : totals.terms / totals.documents,
    frequency: new Map([...terms].map(([stored, term]) => [term, frequencies.get(tokenOf(tenant, stored)) ?? 0])),
  }
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Returns how many of these ids have a document that is not a tombstone. */
export function countDocuments(connection: Connection, tenantId: string, ids: readonly string[]): number {
  const [row] = connection.all<[number]>(
    `select count(*) from documents where tenant = (select number from tenants where tenant = ?) and tombstoned_at is null
      and id in (select value from json_each(?))`,
    [tenantId, JSON.stringify(ids)],
  )
  return row![0]
}

/** Counts the documents of all tenants, by the kept counters. */
export function countAllDocuments(connection: Connection): number {
  return connection.all<[number | null]>('select sum(documents) from tenants')[0]?.[0] ?? 0
}

/**
 * Counts the tenant's documents themselves, since counters say nothing of a document that somebody else deleted: linear in them, some 40 ms
 * for 500,000.
 */
export function countTenantDocuments(connection: Connection, tenantId: string): number {
  const [row] = connection.all<[number]>(
    `select count(*) from tenants t join documents d
      on d.rowid >= t.number * 4294967296 and d.rowid < (t.number + 1) * 4294967296
    where t.tenant = ? and d.tombstoned_at is null`,
    [tenantId],
  )
  return row![0]
}
