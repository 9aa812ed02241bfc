import type { Audience } from '../../domain/visibility.js'
import type { SearchFilter } from '../search-index.js'
import { storedKeyword } from './keywords.js'

export type Clause = Readonly<Record<string, unknown>>

/** Returns all filters of a leg as clauses of a `bool.filter`. The tenant comes first and is always there. */
export function filterClauses(tenantId: string, filter: SearchFilter): Clause[] {
  return [
    tenantClause(tenantId),
    audienceClause(filter.audience),
    oneOf('status', filter.statuses),
    { bool: { must_not: [{ range: { expires_at: { lte: filter.now } } }] } },
    ...(filter.memoryTypes === undefined ? [] : [oneOf('memory_type', filter.memoryTypes)]),
    ...(filter.fleetIds === undefined ? [] : [oneOf('fleet_id', filter.fleetIds)]),
    ...(filter.agentId === undefined ? [] : [equals('agent_id', filter.agentId)]),
    ...(filter.runId === undefined ? [] : [equals('run_id', filter.runId)]),
    ...createdClauses(filter),
    ...(filter.validAt === undefined ? [] : [validityClause(filter.validAt)]),
    ...(filter.metadataTerms ?? []).map((term) => equals('metadata_terms', term)),
  ]
}

/** Returns the clauses for all documents of the tenant except tombstones. */
export function corpusClauses(tenantId: string): Clause[] {
  return [tenantClause(tenantId), { bool: { must_not: [{ exists: { field: 'tombstoned_at' } }] } }]
}

/** Renders the visibility rule (`isVisible` in domain/visibility.ts) as a filter. */
export function audienceClause(audience: Audience): Clause {
  switch (audience.kind) {
    case 'nobody':
      return { match_none: {} }
    case 'own':
      return equals('agent_id', audience.agentId)
    case 'shared':
      return anyOf([
        equals('visibility', 'scope_org'),
        ...(audience.agentId === null
          ? []
          : [allOf([equals('visibility', 'scope_agent'), equals('agent_id', audience.agentId)])]),
        audience.fleets === 'all' ? equals('visibility', 'scope_team') : teamClause(audience.fleets),
      ])
  }
}

function teamClause(fleets: readonly string[]): Clause {
  const noFleet = { bool: { must_not: [{ exists: { field: 'fleet_id' } }] } }
  return allOf([equals('visibility', 'scope_team'), anyOf([noFleet, oneOf('fleet_id', fleets)])])
}

function createdClauses({ createdAfter, createdBefore }: SearchFilter): Clause[] {
  if (createdAfter === undefined && createdBefore === undefined) return []
  const from = createdAfter === undefined ? {} : { gt: createdAfter }
  const to = createdBefore === undefined ? {} : { lt: createdBefore }
  return [{ range: { created_at: { ...from, ...to } } }]
}

/** Filters by exclusion, because a missing bound is open and a range never matches a missing field. */
function validityClause(instant: number): Clause {
  return {
    bool: { must_not: [{ range: { valid_start: { gt: instant } } }, { range: { valid_end: { lte: instant } } }] },
  }
}

function tenantClause(tenantId: string): Clause {
  return equals('tenant_id', tenantId)
}

function equals(field: string, value: string): Clause {
  return { term: { [field]: storedKeyword(value) } }
}

function oneOf(field: string, values: readonly string[]): Clause {
  return { terms: { [field]: values.map(storedKeyword) } }
}

function anyOf(should: readonly Clause[]): Clause {
  return { bool: { should, minimum_should_match: 1 } }
}

function allOf(filter: readonly Clause[]): Clause {
  return { bool: { filter } }
}
