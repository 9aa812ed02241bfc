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
      ...(filter.metadataTerms ?? []).map((terms) => oneOf('metadata_terms', terms)),
    ],
    must_not: [
      oneOf('status', excluded),
      { range: { expires_at: { lte: filter.now } } },
      // Exclusion again, because a missing bound is open and a range never matches a missing field.
      ...(filter.validAt === undefined
        ? []
        : [{ range: { valid_start: { gt: filter.validAt } } }, { range: { valid_end: { lte: filter.validAt } } }]),
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

function equals(field: string, value: string): Clause {
  return { term: { [field]: storedKeyword(value) } }
}

function oneOf(field: string, values: readonly string[]): Clause {
  return { terms: { [field]: values.map(storedKeyword) } }
}
