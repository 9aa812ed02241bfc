import { type RawBuilder, sql } from 'kysely'
import type { System } from '../store.js'
import { isClaimable } from './runs.js'

/** A run that may have a turn. */
export interface DueRun {
  readonly tenantId: string
  readonly runId: string
}

/** A run of an earlier version waits since it was requested. */
const WAITS_SINCE = sql`coalesce(r.waits_since, r.requested_at)`

/** Selects the next run of each tenant: one that is between two turns, or whose worker died, before others. */
function nextRuns(at: Date): RawBuilder<unknown> {
  return sql`(
    select distinct on (tenant_id) tenant_id as "tenantId", run_id as "runId", ${WAITS_SINCE} as since from forge_runs r
    where state in ('queued', 'running') and ${isClaimable(at)}
    order by tenant_id, state = 'running' desc, kept <> '{}' desc, requested_at, run_id
  ) next`
}

/**
 * Returns the runs that may have a turn now, one a tenant, in the order of their turns: the one that waits the longest first. A run
 * that has had a turn waits from then on, and so do the others of its tenant: a tenant waits for one turn of each other at most.
 */
export async function listTurns({ db }: System, { at, limit }: { at: Date; limit: number }): Promise<DueRun[]> {
  const { rows } = await sql<DueRun>`
    select "tenantId", "runId" from ${nextRuns(at)} order by since, "runId" limit ${limit}`.execute(db)
  return rows
}

/** Returns true while a run of another tenant waits for its turn. */
export async function othersWait({ db }: System, tenantId: string, at: Date): Promise<boolean> {
  const row = await db
    .selectFrom('forge_runs as r')
    .where(sql<boolean>`state in ('queued', 'running')`)
    .where('tenant_id', '<>', tenantId)
    .where(isClaimable(at))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Counts the runs of all tenants that wait, and those that are at work. */
export async function countRuns({ db }: System): Promise<{ readonly waiting: number; readonly active: number }> {
  const { rows } = await sql<{ waiting: number; active: number }>`
    select count(*) filter (where state = 'queued')::int as waiting, count(*) filter (where state = 'running')::int as active
    from forge_runs where state in ('queued', 'running')`.execute(db)
  return rows[0]!
}
