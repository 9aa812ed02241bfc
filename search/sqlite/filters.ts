import type { IndexCondition } from '../../domain/filters/index-condition.js'
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
    ...(filter.condition === undefined ? [] : [indexCondition(filter.condition)]),
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

/** Renders a condition, which is true or false and never null. */
function indexCondition(condition: IndexCondition): Condition {
  switch (condition.kind) {
    case 'and':
      return parenthesised(
        all(
          joined(
            condition.of,
            (one) => (one.kind === 'not' ? one.of : null),
            (terms) => not(hasTerm(terms)),
          ),
        ),
      )
    case 'or':
      return any(joined(condition.of, (one) => one, hasTerm))
    case 'not':
      return not(indexCondition(condition.of))
    case 'terms':
    case 'terms between':
      return hasTerm([condition])
    case 'column': {
      const { sql, binds } = oneOf(`d.${condition.column}`, condition.anyOf)
      return { sql: `((${sql}) is true)`, binds }
    }
    case 'times':
      return times(condition)
    case 'has':
      return { sql: `d.${condition.column} is not null`, binds: [] }
    case 'entities':
      return {
        sql: 'exists (select 1 from document_entities e where e.document = d.rowid and e.entity_id in (select value from json_each(?)))',
        binds: [JSON.stringify(condition.anyOf)],
      }
    case 'has entity':
      return { sql: 'exists (select 1 from document_entities e where e.document = d.rowid)', binds: [] }
    case 'valid at':
      return parenthesised(validity(condition.instant))
  }
}

type TermCondition = Extract<IndexCondition, { kind: 'terms' | 'terms between' }>

/** Renders conditions, with those on terms that `termOf` finds as one, so that a row's terms are compared once with the values of all of them. */
function joined(
  conditions: readonly IndexCondition[],
  termOf: (condition: IndexCondition) => IndexCondition | null,
  render: (terms: readonly TermCondition[]) => Condition,
): Condition[] {
  const terms: TermCondition[] = []
  const others = conditions.filter((condition) => {
    const found = termOf(condition)
    if (found?.kind !== 'terms' && found?.kind !== 'terms between') return true
    terms.push(found)
    return false
  })
  return [...others.map(indexCondition), ...(terms.length > 0 ? [render(terms)] : [])]
}

/** Values that are looked up one by one; more are compared with each term of a row, of which most rows have some ten. */
const MOST_LOOKED_UP = 4

/** Renders that a row has a term that meets one of these. */
function hasTerm(conditions: readonly TermCondition[]): Condition {
  const ranges = conditions.filter((one) => one.kind === 'terms between')
  const values = conditions.flatMap((one) => (one.kind === 'terms' ? one.anyOf : []))
  const has = ({ sql, binds }: Condition) => ({
    sql: `exists (select 1 from document_metadata m where m.document = d.rowid and ${sql})`,
    binds,
  })
  const found = [
    // A plus keeps SQLite from looking each value up.
    ...(values.length === 0 ? [] : [has(oneOf(values.length > MOST_LOOKED_UP ? '+m.term' : 'm.term', values))]),
    ...ranges.map(({ from, to }) =>
      has({
        sql: `m.term ${from.includes ? '>=' : '>'} ? and m.term ${to.includes ? '<=' : '<'} ?`,
        binds: [from.term, to.term],
      }),
    ),
  ]
  return found.length === 1 ? found[0]! : any(found)
}

function not({ sql, binds }: Condition): Condition {
  return { sql: `not (${sql})`, binds }
}

function parenthesised({ sql, binds }: Condition): Condition {
  return { sql: `(${sql})`, binds }
}

function times({ column, from, to }: Extract<IndexCondition, { kind: 'times' }>): Condition {
  const { sql, binds } = all([
    ...(from === undefined ? [] : [{ sql: `d.${column} ${from.includes ? '>=' : '>'} ?`, binds: [from.value] }]),
    ...(to === undefined ? [] : [{ sql: `d.${column} ${to.includes ? '<=' : '<'} ?`, binds: [to.value] }]),
  ])
  return { sql: `((${sql}) is true)`, binds }
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
