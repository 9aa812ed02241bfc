import { type RawBuilder, sql } from 'kysely'
import type { MemoryEvent, MemoryType } from '../../domain/memory.js'
import type { Visibility } from '../../domain/visibility.js'
import { equal } from '../conditions.js'
import type { Reader, System, Writer } from '../store.js'
import { type CountedScope, inScope } from './count-memories.js'
import { all, ofReader } from './visible-counters.js'

/** Returns the SQL expression for the quarter of an hour of an instant: clocks of all zones change at whole ones. */
export function slotOf(instant: RawBuilder<unknown> | Date): RawBuilder<unknown> {
  return sql`date_bin('15 minutes', ${instant}::timestamptz, 'epoch')`
}

/** Columns that events are counted by. */
const GROUPS = {
  type: sql`memory_type`,
  agent: sql`coalesce(agent_id, '(none)')`,
  fleet: sql`coalesce(fleet_id, '(none)')`,
  visibility: sql`visibility`,
} as const

type ActivityGroup = keyof typeof GROUPS

interface ActivityFilter {
  readonly fleetId?: string | undefined
  readonly agentId?: string | undefined
  readonly memoryType?: MemoryType | undefined
  readonly visibility?: Visibility | undefined
}

interface ActivityRequest {
  readonly bounds: readonly number[]
  readonly by: ActivityGroup | undefined
  /** The only agent whose recalls of private memories count; undefined for all. Nobody else recalls them, so they tell when it does. */
  readonly recalledBy: string | null | undefined
}

/** Rows of one answer at most. */
export const MOST_ACTIVITY = 20_000

interface Activity {
  /** Position of the interval, from 0. */
  readonly interval: number
  /** Null where nothing is counted by groups. */
  readonly key: string | null
  readonly event: MemoryEvent
  readonly count: number
}

/**
 * Counts what happened between each two successive instants (Unix milliseconds, whole quarters of an hour), from the counters and the pending deltas,
 * read in one statement. Reads a row for each quarter of an hour, kind of memory and kind of event in which anything happened: never more than
 * there were events. Returns `MOST_ACTIVITY` + 1 rows where there are more.
 */
export async function readActivity(
  reader: Reader,
  scope: CountedScope,
  filter: ActivityFilter,
  { bounds, by, recalledBy }: ActivityRequest,
): Promise<Activity[]> {
  const [from, to] = [new Date(bounds[0]!), new Date(bounds.at(-1)!)]
  const where = all([
    ofReader(reader),
    sql`m.slot >= ${from} and m.slot < ${to}`,
    ...inScope(scope),
    ...equal(sql`m.fleet_id`, filter.fleetId),
    ...equal(sql`m.agent_id`, filter.agentId),
    ...equal(sql`m.memory_type`, filter.memoryType),
    ...equal(sql`m.visibility`, filter.visibility),
    ...(recalledBy === undefined
      ? []
      : [sql`(m.event <> 'recalled' or m.visibility <> 'scope_agent' or m.agent_id = ${recalledBy})`]),
  ])
  const columns = sql`slot, event, fleet_id, agent_id, visibility, memory_type`
  const { rows } = await sql<Activity>`
    select width_bucket(extract(epoch from slot)::float8 * 1000, ${bounds as number[]}::float8[]) - 1 as interval,
      ${by === undefined ? sql`null` : GROUPS[by]} as key, event, sum(count)::bigint as count
    from (
      select ${columns}, count from memory_activity m where ${where}
      union all select ${columns}, events from memory_counter_deltas m where m.event is not null and ${where}
    ) happened
    group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3 limit ${MOST_ACTIVITY + 1}`.execute(reader.db)
  return rows
}

/** Removes the counts of what happened to an agent's memories, also those that are not added yet. */
export async function forgetActivity({ tenantId, db }: Writer, agentId: string): Promise<void> {
  await db
    .updateTable('memory_counter_deltas')
    .set({ event: null, slot: null, events: 0 })
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .execute()
  await db.deleteFrom('memory_activity').where('tenant_id', '=', tenantId).where('agent_id', '=', agentId).execute()
}

/** Removes what happened before this time, some rows at a time; returns how many. */
export async function purgeActivity(
  { db }: System,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from memory_activity where ctid = any(array(
      select ctid from memory_activity where slot < ${before} limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
