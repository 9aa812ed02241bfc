import { type RawBuilder, sql } from 'kysely'
import type { MemoryStatus } from '../../domain/memory.js'
import type { Audience, SharedAudience } from '../../domain/visibility.js'
import { equal } from '../conditions.js'
import type { Reader } from '../store.js'
import { visibleTo } from './audience.js'

/**
 * Returns the SQL expression for the number of memories that this audience sees and that are not deleted: exact, from
 * the counters and the pending deltas, so that a compaction between them neither hides nor doubles anything. It reads at most some hundred sums (types × states of
 * each visibility), however many memories there are.
 */
export function visibleTotal(reader: Reader, audience: SharedAudience): RawBuilder<number> {
  const live = ofState({ includeDeleted: false })
  const sources = visibleCounters(audience, []).map(
    ({ table, where }) =>
      sql`select count from ${sql.table(table)} m where ${all([ofReader(reader), ...where, ...live])}`,
  )
  const deltas = sql`select delta from memory_counter_deltas m
    where ${all([ofReader(reader), visibleTo(audience), ...live])}`
  return sql<number>`(select coalesce(sum(count), 0)::bigint from (${sql.join([...sources, deltas], sql` union all `)}) m)`
}

/** A table of counters, or of their sums, and the condition on its rows. */
export interface CounterSource {
  readonly table:
    'memory_counters' | 'memory_counters_by_kind' | 'memory_counters_by_fleet' | 'memory_counters_by_agent'
  readonly where: readonly RawBuilder<unknown>[]
}

export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `)
}

export function ofReader({ tenantId }: Reader): RawBuilder<unknown> {
  return sql`m.tenant_id = ${tenantId}`
}

/** Splits the visibility rule into parts, so that none reads the counters of fleets that the caller does not see. */
export function visibleCounters(audience: Audience, inFleet: readonly RawBuilder<unknown>[]): CounterSource[] {
  if (audience.kind !== 'shared') return []
  const { agentId, fleets } = audience
  const own: CounterSource[] =
    agentId === null
      ? []
      : [
          {
            table: 'memory_counters',
            where: [sql`m.agent_id = ${agentId} and ${isReadByAuthorAlone(fleets)}`, ...inFleet],
          },
        ]
  if (inFleet.length > 0)
    return [
      ...own,
      { table: 'memory_counters_by_fleet', where: [...inFleet, visibleTo({ ...audience, agentId: null })] },
    ]
  if (fleets === 'all')
    return [...own, { table: 'memory_counters_by_kind', where: [sql`m.visibility <> 'scope_agent'`] }]
  const team = sql`m.visibility = 'scope_team'`
  return [
    ...own,
    { table: 'memory_counters_by_kind', where: [sql`m.visibility = 'scope_org'`] },
    { table: 'memory_counters_by_fleet', where: [team, sql`m.fleet_id is null`] },
    { table: 'memory_counters_by_fleet', where: [team, sql`m.fleet_id = any(${fleets as string[]}::text[])`] },
  ]
}

/** Returns the condition on an author's counters that no other part counts: what is private, or in a fleet that it does not read otherwise. */
function isReadByAuthorAlone(fleets: SharedAudience['fleets']): RawBuilder<unknown> {
  if (fleets === 'all') return sql`m.visibility = 'scope_agent'`
  return sql`(m.visibility = 'scope_agent' or (m.visibility = 'scope_team' and m.fleet_id is not null and m.fleet_id <> all(${fleets as string[]}::text[])))`
}

export function ofState({
  status,
  includeDeleted,
}: {
  readonly status?: MemoryStatus | undefined
  readonly includeDeleted: boolean
}): RawBuilder<unknown>[] {
  return [...equal(sql`m.status`, status), ...(includeDeleted ? [] : [sql`m.status <> 'deleted'`])]
}
