import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { equal } from '../conditions.js'
import type { Reader } from '../store.js'
import { visibleTo } from './audience.js'
import { all, ofReader, ofState, type CounterSource, visibleCounters } from './visible-counters.js'

/** Rows that are counted: those an audience may see, one fleet's or one agent's, or all of the tenant's. */
export type CountedScope =
  | { readonly kind: 'visible'; readonly audience: Audience }
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'fleet'; readonly fleetId: string }
  | { readonly kind: 'all' }

export interface CountFilter {
  readonly fleetId?: string | undefined
  readonly agentId?: string | undefined
  readonly memoryType?: MemoryType | undefined
  readonly status?: MemoryStatus | undefined
  readonly includeDeleted: boolean
}

/** Counts of the same memories in two ways. Counts are positive. */
interface MemoryCounts {
  readonly byKind: readonly { readonly memoryType: MemoryType; readonly status: MemoryStatus; readonly count: number }[]
  readonly byAgent: readonly { readonly agentId: string | null; readonly count: number }[]
}

/**
 * Returns exact counts from the counters and the pending deltas, read in one statement, so that a compaction between
 * them neither hides nor doubles anything. 200 agents can have 60,000 counters, which take 200 ms to add up, so each of
 * the two counts reads the smallest table of sums that answers it: a few hundred rows by kind, a few thousand by agent.
 */
export async function countMemories(reader: Reader, scope: CountedScope, filter: CountFilter): Promise<MemoryCounts> {
  const kinds = [sql`memory_type as "memoryType"`, sql`status`]
  const agents = [sql`agent_id as "agentId"`]
  const { rows } = await sql<CountRow>`
    with open as (
      select agent_id, memory_type, status, delta as count from memory_counter_deltas m
      where ${all([ofReader(reader), ...ownerConditions(scope, filter), ...ofType(filter), ...ofState(filter)])}
    ), kinds as (
      select "memoryType", status, sum(count)::bigint as count
      from (${countersAndDeltas(reader, countersByKind(scope, filter), kinds)}) m group by 1, 2
    ), agents as (
      select "agentId", sum(count)::bigint as count
      from (${countersAndDeltas(reader, countersByAgent(scope, filter), agents)}) m group by 1
    )
    select "memoryType", status, null as "agentId", count from kinds where count <> 0
    union all select null, null, "agentId", count from agents where count <> 0`.execute(reader.db)
  return {
    byKind: rows.flatMap(({ memoryType, status, count }) =>
      memoryType === null || status === null ? [] : [{ memoryType, status, count }],
    ),
    byAgent: rows.flatMap(({ agentId, status, count }) => (status === null ? [{ agentId, count }] : [])),
  }
}

interface CountRow {
  readonly memoryType: MemoryType | null
  readonly status: MemoryStatus | null
  readonly agentId: string | null
  readonly count: number
}

/**
 * Selects the counted columns from counters and pending deltas. Reads the deltas once: those of the last minute are
 * slow, since dead rows of the compacted ones are still in the way.
 */
function countersAndDeltas(
  reader: Reader,
  sources: readonly CounterSource[],
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const named = sql.join([...columns, sql`count`])
  return sql.join(
    [
      ...sources.map(
        ({ table, where }) =>
          sql`select ${named} from ${sql.table(table)} m where ${all([ofReader(reader), ...where])}`,
      ),
      sql`select ${named} from open`,
    ],
    sql` union all `,
  )
}

/** Chooses counters by kind: one agent's are few, and for others the author does not matter here. */
function countersByKind(scope: CountedScope, filter: CountFilter): CounterSource[] {
  const kind = [...ofType(filter), ...ofState(filter)]
  const inFleet = equal(sql`m.fleet_id`, filter.fleetId)
  if (isOfOneAgent(scope, filter))
    return [{ table: 'memory_counters', where: [...ownerConditions(scope, filter), ...kind] }]
  if (scope.kind !== 'visible')
    return inFleet.length > 0 || scope.kind === 'fleet'
      ? [{ table: 'memory_counters_by_fleet', where: [...ownerConditions(scope, filter), ...kind] }]
      : [{ table: 'memory_counters_by_kind', where: kind }]
  return visibleCounters(scope.audience, inFleet).map(({ table, where }) => ({ table, where: [...where, ...kind] }))
}

function countersByAgent(scope: CountedScope, filter: CountFilter): CounterSource[] {
  const where = [...ownerConditions(scope, filter), ...ofState(filter)]
  return filter.memoryType !== undefined || isOfOneAgent(scope, filter)
    ? [{ table: 'memory_counters', where: [...where, ...ofType(filter)] }]
    : [{ table: 'memory_counters_by_agent', where }]
}

function isOfOneAgent(scope: CountedScope, filter: CountFilter): boolean {
  const own = scope.kind === 'visible' && scope.audience.kind !== 'shared'
  return filter.agentId !== undefined || scope.kind === 'agent' || own
}

/** Returns the conditions on author, fleet and visibility. */
function ownerConditions(scope: CountedScope, { fleetId, agentId }: CountFilter): RawBuilder<unknown>[] {
  return [...inScope(scope), ...equal(sql`m.fleet_id`, fleetId), ...equal(sql`m.agent_id`, agentId)]
}

/** Returns the conditions on the counters of a scope. */
export function inScope(scope: CountedScope): RawBuilder<unknown>[] {
  switch (scope.kind) {
    case 'visible':
      return [visibleTo(scope.audience)]
    case 'agent':
      return [sql`m.agent_id = ${scope.agentId}`]
    case 'fleet':
      return [sql`m.fleet_id = ${scope.fleetId}`]
    case 'all':
      return []
  }
}

function ofType({ memoryType }: CountFilter): RawBuilder<unknown>[] {
  return equal(sql`m.memory_type`, memoryType)
}
