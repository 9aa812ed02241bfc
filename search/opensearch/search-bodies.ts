import type { Audience } from '../../domain/visibility.js'
import { clampSize } from '../limits.js'
import type { Leg, SearchRequest } from '../search-index.js'
import { queryTerms } from '../terms.js'
import { usableVector } from '../vectors.js'
import { audienceClause, corpusClauses, filterClauses, type Clause } from './filters.js'
import { storedKeyword, tenantToken, tokensOf } from './keywords.js'
import { MARK_QUERY } from './marks.js'

/** One `_msearch`: the bodies in order, what each is for, and what is needed to read the answer. */
export interface SearchPlan {
  readonly parts: readonly (Leg | 'statistics' | 'mark')[]
  readonly lines: readonly object[]
  /** Requested legs with nothing to search for: answered empty without calling the engine. */
  readonly empty: readonly Leg[]
  /** Terms that the statistics count, as the caller spells them and in the order of the aggregation's buckets. */
  readonly counted: readonly string[]
}

/** Plans a search. The engine gets `timeoutMs` for each body, so that a slow leg times out alone. */
export function planSearch(tenantId: string, request: SearchRequest, timeoutMs: number): SearchPlan {
  const filter = filterClauses(tenantId, request.filter)
  const size = clampSize(request.size)
  const counted = request.frequenciesOf && queryTerms(request.frequenciesOf)
  const tokens = (terms: Iterable<string>) => tokensOf(tenantId, [...terms])
  const legs: readonly [Leg, object | null][] = [
    ...(request.vector ? [['vector', vectorBody(request.vector.vector, size, filter)] as [Leg, object | null]] : []),
    ...(request.keyword
      ? [
          ['keyword', keywordBody(tokens(queryTerms(request.keyword.terms).keys()), size, filter)] as [
            Leg,
            object | null,
          ],
        ]
      : []),
    ...(request.entity ? [['entity', entityBody(request.entity.entityIds, size, filter)] as [Leg, object | null]] : []),
  ]
  const bodies: [Leg | 'statistics' | 'mark', object][] = legs.flatMap(([leg, body]) =>
    body === null ? [] : [[leg, body]],
  )
  if (counted) bodies.push(['statistics', statisticsBody(tenantId, request.filter.audience, tokens(counted.keys()))])
  bodies.push(['mark', { ...MARK_QUERY, stored_fields: '_none_' }])
  const header = { routing: tenantToken(tenantId) }
  return {
    parts: bodies.map(([part]) => part),
    lines: bodies.flatMap(([, body]) => [header, { ...body, timeout: `${timeoutMs}ms` }]),
    empty: legs.flatMap(([leg, body]) => (body === null ? [leg] : [])),
    counted: [...(counted?.values() ?? [])],
  }
}

/**
 * Ids come from a doc value column: reading stored fields, including `_id`, of 150 hits takes three times as long as
 * finding them.
 */
const HITS = { stored_fields: '_none_', docvalue_fields: ['id'], track_total_hits: false } as const

/** Each clause adds its term's BM25; the filters are in filter context and add nothing. */
function keywordBody(tokens: readonly string[], size: number, filter: readonly Clause[]): object | null {
  if (tokens.length === 0) return null
  const should = tokens.map((token) => ({ term: { terms: token } }))
  return { ...HITS, size, query: { bool: { should, minimum_should_match: 1, filter } } }
}

/** The filter is inside `knn`: beside it, it would only filter the k nearest of all tenants afterwards. */
function vectorBody(vector: Float32Array, size: number, filter: readonly Clause[]): object | null {
  const usable = usableVector(vector)
  if (usable === null) return null
  return {
    ...HITS,
    size,
    query: { knn: { vector: { vector: Array.from(usable), k: size, filter: { bool: { filter } } } } },
  }
}

/** Scores by the number of entities that match. */
function entityBody(entityIds: readonly string[], size: number, filter: readonly Clause[]): object | null {
  if (entityIds.length === 0) return null
  const should = [...new Set(entityIds)].map((id) => ({
    constant_score: { filter: { term: { entity_ids: storedKeyword(id) } }, boost: 1 },
  }))
  const query = { bool: { should, minimum_should_match: 1, filter } }
  return { ...HITS, size, query, sort: ['_score', { created_at: 'desc' }] }
}

/** Counts only what the audience sees: a number tells nothing of hidden rows. */
function statisticsBody(tenantId: string, audience: Audience, tokens: readonly string[]): object {
  const filters = tokens.map((token) => ({ term: { terms: token } }))
  return {
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: [...corpusClauses(tenantId), audienceClause(audience)] } },
    aggs: {
      length: { avg: { field: 'term_count' } },
      ...(filters.length === 0 ? {} : { frequency: { filters: { filters } } }),
    },
  }
}
