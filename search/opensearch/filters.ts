import type { Bound } from '../../domain/filters/expression.js'
import type { IndexCondition } from '../../domain/filters/index-condition.js'
import { MEMORY_STATUSES } from '../../domain/memory.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { storedKeyword } from './keywords.js'
import type { Elsewhere, Readers } from './readers.js'

export type Clause = Readonly<Record<string, unknown>>

/** The filters of a leg: clauses of one `bool`, which adds nothing to a score. */
export interface FilterClauses {
  readonly filter: readonly Clause[]
  readonly must_not: readonly Clause[]
}

/**
 * Returns all filters of a leg but the audience's. What few rows have is excluded, which costs nothing for the others.
 */
export function filterClauses(filter: RecallFilter): FilterClauses {
  const excluded = MEMORY_STATUSES.filter((status) => !filter.statuses.includes(status))
  return {
    filter: [
      ...(filter.memoryTypes === undefined ? [] : [oneOf('memory_type', filter.memoryTypes)]),
      ...(filter.fleetIds === undefined ? [] : [oneOf('fleet_id', filter.fleetIds)]),
      ...(filter.agentId === undefined ? [] : [equals('agent_id', filter.agentId)]),
      ...(filter.runId === undefined ? [] : [equals('run_id', filter.runId)]),
      ...createdClauses(filter),
      ...(filter.condition === undefined ? [] : [conditionClause(filter.condition)]),
    ],
    must_not: [
      oneOf('status', excluded),
      { range: { expires_at: { lte: filter.now } } },
      ...(filter.validAt === undefined ? [] : invalidAt(filter.validAt)),
    ],
  }
}

/** Returns the clauses for all documents of the tenant except tombstones. */
export function corpusClauses(tenantId: string): Clause[] {
  return [equals('tenant_id', tenantId), { bool: { must_not: [{ exists: { field: 'tombstoned_at' } }] } }]
}

/** Returns the visibility rule as a filter. It separates tenants too, and no tombstone has a reader. */
export function readerClause({ tokens, elsewhere }: Readers): Clause {
  const readers = elsewhere === null ? tokens : [...tokens, elsewhere.author]
  return readers.length === 0 ? { match_none: {} } : { terms: { readers } }
}

/** Returns the clauses for what an agent wrote in other fleets than those of its audience. */
export function elsewhereClauses({ author, fleets }: Elsewhere): Clause[] {
  return [{ term: { readers: author } }, { terms: { readers: fleets } }]
}

function createdClauses({ createdAfter, createdBefore }: RecallFilter): Clause[] {
  if (createdAfter === undefined && createdBefore === undefined) return []
  const from = createdAfter === undefined ? {} : { gt: createdAfter }
  const to = createdBefore === undefined ? {} : { lt: createdBefore }
  return [{ range: { created_at: { ...from, ...to } } }]
}

/** Renders a condition. The engine has no null: a clause matches a document or does not. */
function conditionClause(condition: IndexCondition): Clause {
  switch (condition.kind) {
    case 'and':
      return { bool: { filter: condition.of.map(conditionClause) } }
    case 'or':
      return { bool: { should: condition.of.map(conditionClause), minimum_should_match: 1 } }
    case 'not':
      return { bool: { must_not: [conditionClause(condition.of)] } }
    case 'terms':
      return oneOf('metadata_terms', condition.anyOf)
    case 'terms between': {
      const { from, to } = condition
      const bounds = { [from.includes ? 'gte' : 'gt']: from.term, [to.includes ? 'lte' : 'lt']: to.term }
      return { range: { metadata_terms: bounds } }
    }
    case 'column':
      return oneOf(condition.column, condition.anyOf)
    case 'times':
      return { range: { [condition.column]: boundsOf(condition) } }
    case 'has':
      return { exists: { field: condition.column } }
    case 'entities':
      return oneOf('entity_ids', condition.anyOf)
    case 'has entity':
      return { exists: { field: 'entity_ids' } }
    case 'valid at':
      return { bool: { must_not: invalidAt(condition.instant) } }
  }
}

function boundsOf({ from, to }: { readonly from?: Bound; readonly to?: Bound }): Record<string, number> {
  return {
    ...(from && { [from.includes ? 'gte' : 'gt']: from.value }),
    ...(to && { [to.includes ? 'lte' : 'lt']: to.value }),
  }
}

/** Excludes, because a missing bound is open and a range never matches a missing field. */
function invalidAt(instant: number): Clause[] {
  return [{ range: { valid_start: { gt: instant } } }, { range: { valid_end: { lte: instant } } }]
}

function equals(field: string, value: string): Clause {
  return { term: { [field]: storedKeyword(value) } }
}

function oneOf(field: string, values: readonly string[]): Clause {
  return { terms: { [field]: values.map(storedKeyword) } }
}
