import type { Audience } from '../../domain/visibility.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import type { Bind } from './connection.js'

/** A condition over `d`, a row of `documents`, with its binds in order. */
export interface Condition {
  readonly sql: string
  readonly binds: readonly Bind[]
}

/**
 * Returns all filters of a leg as one condition. The tenant's number comes first and is always there. Lists are bound
 * as one JSON value, so that the text of a statement depends on which filters are given, not on how many values they have.
 */
export function filterCondition(tenant: number, filter: RecallFilter): Condition {
  return all([
    { sql: 'd.tenant = ?', binds: [tenant] },
    audienceCondition(filter.audience),
    oneOf('d.status', filter.statuses),
    { sql: '(d.expires_at is null or d.expires_at > ?)', binds: [filter.now] },
    ...(filter.memoryTypes === undefined ? [] : [oneOf('d.memory_type', filter.memoryTypes)]),
    ...(filter.fleetIds === undefined ? [] : [oneOf('d.fleet_id', filter.fleetIds)]),
    ...(filter.agentId === undefined ? [] : [{ sql: 'd.agent_id = ?', binds: [filter.agentId] }]),
    ...(filter.runId === undefined ? [] : [{ sql: 'd.run_id = ?', binds: [filter.runId] }]),
    ...(filter.createdAfter === undefined ? [] : [{ sql: 'd.created_at > ?', binds: [filter.createdAfter] }]),
    ...(filter.createdBefore === undefined ? [] : [{ sql: 'd.created_at < ?', binds: [filter.createdBefore] }]),
    ...(filter.validAt === undefined ? [] : [validity(filter.validAt)]),
    ...(filter.metadataTerms ?? []).map((terms) => ({
      sql: 'exists (select 1 from document_metadata m where m.document = d.rowid and m.term in (select value from json_each(?)))',
      binds: [JSON.stringify(terms)],
    })),
  ])
}

/** Renders the visibility rule (`isVisible` in domain/visibility.ts) as a condition. */
function audienceCondition(audience: Audience): Condition {
  switch (audience.kind) {
    case 'nobody':
      return { sql: '0', binds: [] }
    case 'own':
      return { sql: 'd.agent_id = ?', binds: [audience.agentId] }
    case 'shared':
      return any([
        { sql: "d.visibility = 'scope_org'", binds: [] },
        ...(audience.agentId === null ? [] : [{ sql: 'd.agent_id = ?', binds: [audience.agentId] }]),
        audience.fleets === 'all' ? { sql: "d.visibility = 'scope_team'", binds: [] } : team(audience.fleets),
      ])
  }
}

function team(fleets: readonly string[]): Condition {
  const { sql, binds } = oneOf('d.fleet_id', fleets)
  return { sql: `d.visibility = 'scope_team' and (d.fleet_id is null or ${sql})`, binds }
}

function validity(instant: number): Condition {
  return {
    sql: '(d.valid_start is null or d.valid_start <= ?) and (d.valid_end is null or d.valid_end > ?)',
    binds: [instant, instant],
  }
}

function oneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} in (select value from json_each(?))`, binds: [JSON.stringify(values)] }
}

function all(conditions: readonly Condition[]): Condition {
  return { sql: conditions.map(({ sql }) => sql).join(' and '), binds: conditions.flatMap(({ binds }) => binds) }
}

function any(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => `(${sql})`).join(' or ')})`,
    binds: conditions.flatMap(({ binds }) => binds),
  }
}
