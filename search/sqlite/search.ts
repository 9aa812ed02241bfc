import { fleetsElsewhere } from '../../domain/visibility.js'
import { type AudienceRange, audienceRanges } from '../audiences.js'
import type { CorpusStatistics, Leg, SearchAnswer, SearchHit, SearchRequest } from '../search-index.js'
import { queryTerms, clampSize } from '../terms.js'
import { byKeyword, tokenOf } from './by-keyword.js'
import type { Connection } from './connection.js'
import { readFrequencies, readTotals } from './read-counts.js'
import { filterCondition } from './filters.js'
import { nearest } from './nearest.js'
import { readMark } from './mark.js'
import { linkedCondition, type Passing, readPassing } from './passing.js'
import { isDamage } from './file-shape.js'
import type { Scope, SearchedFile } from './scope.js'

/**
 * Runs all legs and the statistics on one snapshot. Throws only for errors of the file. `failed` names a leg that failed itself,
 * and one whose filter took too long: its hits are those of the newest documents.
 */
export function search(file: SearchedFile, tenantId: string, request: SearchRequest): SearchAnswer {
  const { connection } = file
  connection.exec('begin')
  try {
    const tenant = readTenant(connection, tenantId)
    const answer = tenant === null ? emptyAnswer(request) : searchTenant(file, tenant, request)
    return { ...answer, mark: readMark(connection) }
  } finally {
    connection.exec('commit')
  }
}

function readTenant(connection: Connection, tenantId: string): number | null {
  return connection.all<[number]>('select number from tenants where tenant = ?', [tenantId])[0]?.[0] ?? null
}

type AnswerWithoutMark = Omit<SearchAnswer, 'mark'>

function searchTenant(file: SearchedFile, tenant: number, request: SearchRequest): AnswerWithoutMark {
  const filter = filterCondition(tenant, request.filter)
  const { audience, authoredFleets = [] } = request.filter
  const elsewhere = fleetsElsewhere(audience, authoredFleets)
  const ranges = audienceRanges(audience, elsewhere)
  let passing: Passing | undefined
  let isPartial = false
  const bounds = { ...file, tenant, audience, elsewhere, ranges, filter, size: clampSize(request.size) }
  const scope: Scope = {
    ...bounds,
    isConditional: request.filter.condition !== undefined,
    passing() {
      passing ??= readPassing(scope)
      isPartial ||= !passing.isComplete
      return passing.counters
    },
  }
  const legs: Partial<Record<Leg, readonly SearchHit[]>> = {}
  const failed: Leg[] = []
  const run = (leg: Leg, search: () => SearchHit[]) => {
    isPartial = false
    try {
      legs[leg] = search()
      if (isPartial) failed.push(leg)
    } catch (error) {
      if (isDamage(error)) throw error
      failed.push(leg)
    }
  }
  const { vector, keyword, entity, frequenciesOf: asked } = request
  if (vector) run('vector', () => nearest(scope, vector.vector))
  if (keyword) run('keyword', () => byKeyword(scope, keyword.terms))
  if (entity) run('entity', () => byEntity(scope, entity.entityIds))
  return { legs, failed, statistics: asked ? statistics(file.connection, tenant, asked, ranges) : null }
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

function byEntity(scope: Scope, entityIds: readonly string[]): SearchHit[] {
  const { connection, tenant, size } = scope
  const ids = JSON.stringify(entityIds)
  const filter = scope.isConditional ? linkedCondition(scope, ids) : scope.filter
  const rows = connection.all<[string, number]>(
    `select d.id, count(*) as matches
     from document_entities e join documents d on d.rowid = e.document
     where e.tenant = ? and e.entity_id in (select value from json_each(?)) and ${filter.sql}
     group by d.rowid order by matches desc, d.created_at desc limit ?`,
    [tenant, ids, ...filter.binds, size],
  )
  return rows.map(([id, score]) => ({ id, score }))
}

/** Counts what the audience sees of the tenant: its documents, their terms, and those with each term. */
function statistics(
  connection: Connection,
  tenant: number,
  asked: readonly string[],
  ranges: readonly AudienceRange[],
): CorpusStatistics {
  const terms = queryTerms(asked)
  const tokens = [...terms.keys()].map((stored) => tokenOf(tenant, stored))
  const totals = readTotals(connection, tenant, ranges)
  const frequencies = readFrequencies(connection, tokens, ranges)
  return {
    documents: totals.documents,
    averageLength: totals.documents === 0 ? 0 : totals.words / totals.documents,
    frequency: new Map([...terms].map(([stored, term]) => [term, frequencies.get(tokenOf(tenant, stored)) ?? 0])),
  }
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
