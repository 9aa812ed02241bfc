import { sql } from 'kysely'
import { anyOfQuery } from '../conditions.js'
import type { Outcome } from '../../domain/forge/outcome.js'
import type { System, Writer } from '../store.js'
import { rowOf } from '../rows-by-id.js'
import type { TraceKey } from './evidence.js'

/** The end of a trace, and the signals that tell of it. */
export interface TraceOutcome extends TraceKey, Outcome {
  /** Time of its last memory. */
  readonly endedAt: Date
  /** Ids of the memories that its end was read from. */
  readonly memoryIds: readonly string[]
}

/** Stores how traces ended; a row that says the same already stays as it is. At most a thousand a call. */
export async function saveTraces(writer: Writer, runId: string, traces: readonly TraceOutcome[]): Promise<void> {
  if (traces.length === 0) return
  const { db, tenantId } = writer
  const rows = traces.map(({ fleetId, runId: run, agentId, label, signals, endedAt, memoryIds }) => ({
    fleet_id: fleetId,
    run_id: run,
    agent_id: agentId,
    label,
    signals,
    ended_at: endedAt,
    memory_ids: memoryIds,
  }))
  // An end that was read from memories which were erased, or deleted, while the run was under way is not stored.
  await sql`
    insert into forge_traces as t (tenant_id, fleet_id, run_id, agent_id, label, signals, ended_at, forge_run_id)
    select ${tenantId}, fleet_id, run_id, agent_id, label, signals, ended_at, ${runId}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given(fleet_id text, run_id text, agent_id text, label text, signals jsonb, ended_at timestamptz, memory_ids uuid[])
    where not exists (
      select from unnest(given.memory_ids) as read(id) left join lateral ${rowOf('memories', tenantId, sql`read.id`)} m on true
      where m.id is null or m.status = 'deleted')
    order by fleet_id collate "C", run_id collate "C", agent_id collate "C"
    on conflict (tenant_id, fleet_id, run_id, agent_id) do update
      set label = excluded.label, signals = excluded.signals, ended_at = excluded.ended_at, forge_run_id = excluded.forge_run_id
      where (t.label, t.signals, t.ended_at) is distinct from (excluded.label, excluded.signals, excluded.ended_at)`.execute(
    db,
  )
}

/** Deletes the outcomes of an agent's traces. */
export async function forgetTraces({ db, tenantId }: Writer, agentId: string): Promise<void> {
  await db.deleteFrom('forge_traces').where('tenant_id', '=', tenantId).where('agent_id', '=', agentId).execute()
}

/** Deletes up to `limit` outcomes of traces that ended before this time; returns how many. */
export async function purgeTraces({ db }: System, { before, limit }: { before: Date; limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from forge_traces where ctid = ${anyOfQuery(sql`
      select ctid from forge_traces where ended_at < ${before} order by ended_at limit ${limit} for update skip locked`)}`.execute(
    db,
  )
  return Number(numAffectedRows)
}
