import { clampSize } from '../limits.js'
import type { Leg, SearchRequest } from '../search-index.js'
import { queryTerms } from '../terms.js'
import { usableVector } from '../vectors.js'
import { corpusClauses, filterClauses, type Clause } from './filters.js'
import { storedKeyword, tenantToken } from './keywords.js'

/** One `_msearch`: the bodies in their order, what each is for, and what the answer must be read with. */
export interface SearchPlan {
  readonly parts: readonly (Leg | 'statistics')[]
  readonly lines: readonly object[]
  /** Legs asked for with nothing to look for: answered empty without asking the engine. */
  readonly empty: readonly Leg[]
  readonly size: number
  /** Terms of the keyword leg, in their stored form. */
  readonly keywordTerms: readonly string[]
  /** Terms that the statistics count, in their stored form and in the order of the aggregation's buckets. */
  readonly counted: readonly string[]
  /** Stored form to the caller's, of the terms whose frequency is part of the answer; null when none was asked for. */
  readonly wanted: ReadonlyMap<string, string> | null
}

/** `timeoutMs` is given to the engine for each body, so that a slow leg comes back late and alone. */
export function planSearch(tenantId: string, request: SearchRequest, timeoutMs: number): SearchPlan {
  const filter = filterClauses(tenantId, request.filter)
  const size = clampSize(request.size)
  const keywordTerms = [...queryTerms(request.keyword?.terms ?? []).keys()]
  const wanted = request.frequenciesOf === undefined ? null : queryTerms(request.frequenciesOf)
  const counted = [...new Set([...keywordTerms, ...(wanted?.keys() ?? [])])]
  const legs: readonly [Leg, object | null][] = [
    ...(request.vector ? [['vector', vectorBody(request.vector.vector, size, filter)] as [Leg, object | null]] : []),
    ...(request.keyword ? [['keyword', keywordBody(keywordTerms, size, filter)] as [Leg, object | null]] : []),
    ...(request.entity ? [['entity', entityBody(request.entity.entityIds, size, filter)] as [Leg, object | null]] : []),
  ]
  const bodies: [Leg | 'statistics', object][] = legs.flatMap(([leg, body]) => (body === null ? [] : [[leg, body]]))
  if (wanted !== null || keywordTerms.length > 0) bodies.push(['statistics', statisticsBody(tenantId, counted)])
  const header = { routing: tenantToken(tenantId) }
  return {
    parts: bodies.map(([part]) => part),
    lines: bodies.flatMap(([, body]) => [header, { ...body, timeout: `${timeoutMs}ms` }]),
    empty: legs.flatMap(([leg, body]) => (body === null ? [leg] : [])),
    size,
    keywordTerms,
    counted,
    wanted,
  }
}

const HITS = { _source: false, version: true, track_total_hits: false } as const

/**
 * Each clause adds its term's BM25; the filters stand in filter context and add nothing. Twice the hits wanted come back with
 * their terms, because they are scored again and the engine's order is only nearly that one.
 */
function keywordBody(terms: readonly string[], size: number, filter: readonly Clause[]): object | null {
  if (terms.length === 0) return null
  const should = terms.map((term) => ({ term: { terms: term } }))
  const query = { bool: { should, minimum_should_match: 1, filter } }
  return { ...HITS, size: clampSize(size * 2), query, stored_fields: ['terms'] }
}

/** The filter stands inside `knn`: beside it, it would narrow the k nearest of all tenants after the fact. */
function vectorBody(vector: Float32Array, size: number, filter: readonly Clause[]): object | null {
  const usable = usableVector(vector)
  if (usable === null) return null
  return {
    ...HITS,
    size,
    query: { knn: { vector: { vector: Array.from(usable), k: size, filter: { bool: { filter } } } } },
  }
}

/** The score is the number of entities that match. */
function entityBody(entityIds: readonly string[], size: number, filter: readonly Clause[]): object | null {
  if (entityIds.length === 0) return null
  const should = [...new Set(entityIds)].map((id) => ({
    constant_score: { filter: { term: { entity_ids: storedKeyword(id) } }, boost: 1 },
  }))
  const query = { bool: { should, minimum_should_match: 1, filter } }
  return { ...HITS, size, query, sort: ['_score', { created_at: 'desc' }] }
}

function statisticsBody(tenantId: string, counted: readonly string[]): object {
  const filters = counted.map((term) => ({ term: { terms: term } }))
  return {
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: corpusClauses(tenantId) } },
    aggs: {
      length: { avg: { field: 'term_count' } },
      ...(filters.length === 0 ? {} : { frequency: { filters: { filters } } }),
    },
  }
}
