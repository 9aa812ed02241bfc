import { sql } from 'kysely'
import { equal } from '../conditions.js'
import type { Keyset } from '../keyset.js'
import type { Reader } from '../store.js'

/** A fleet; it exists while it has an agent or a memory that is not deleted. */
export interface Fleet {
  readonly fleetId: string
  readonly agents: number
  /** Memories of all agents, without deleted ones. */
  readonly memories: number
}

interface FleetList extends Keyset<string> {
  /** Lists only this fleet. */
  readonly fleetId?: string | undefined
}

/** Lists fleets by fleet_id, with exact counts from the totals and the pending deltas, in one statement. */
export async function listFleets(reader: Reader, { fleetId, after, limit }: FleetList): Promise<Fleet[]> {
  const conditions = [
    sql`tenant_id = ${reader.tenantId}`,
    ...equal(sql`fleet_id`, fleetId),
    after === undefined ? sql`fleet_id is not null` : sql`fleet_id > ${after}`,
  ]
  const wanted = sql.join(conditions, sql` and `)
  const { rows } = await sql<Fleet>`
    select fleet_id as "fleetId", sum(agents)::bigint as agents, sum(memories)::bigint as memories from (
      select fleet_id, agents, memories from fleet_totals where ${wanted}
      union all select fleet_id, delta, 0 from agent_counter_deltas where ${wanted}
      union all select fleet_id, 0, delta from memory_counter_deltas where ${wanted} and status <> 'deleted'
    ) f group by fleet_id having sum(agents) > 0 or sum(memories) > 0
    order by fleet_id limit ${limit}`.execute(reader.db)
  return rows
}

/** Returns null when there is no such fleet. */
export async function findFleet(reader: Reader, fleetId: string): Promise<Fleet | null> {
  const [fleet] = await listFleets(reader, { fleetId, limit: 1 })
  return fleet ?? null
}
