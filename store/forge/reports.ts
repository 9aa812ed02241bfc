import { type RawBuilder, sql } from 'kysely'
import type { TraceReports } from '../../domain/forge/outcome.js'
import type { Window } from '../../domain/forge/traces.js'
import { fenced, rowOf } from '../rows-by-id.js'
import type { Reader } from '../store.js'
import { ofTraces, type TraceKey, traceKey } from './evidence.js'

/** Recalls of the window that are looked through for memories that other agents were given, the newest first. */
const MOST_RECALLS = 20_000
/** Recalls of an agent, of any run, that are looked at while a trace lasted: its other runs may have lasted as long. */
const MOST_LOOKED_AT = 1_000
/** Recalls of one agent during a trace that are compared. */
const MOST_OF_TRACE = 200
/** A query that was recalled so often in one run did not help. */
const REPEATED = 3

/** Reports on a trace that other tables hold; whether it was reused is known of the whole part at once. */
type ReportedTrace = TraceKey & Pick<TraceReports, 'feedback' | 'contradicted' | 'repeatedQuery'>

/**
 * Returns what other tables say of these traces. Feedback: the last outcome that each credential or agent gave to a memory
 * of the trace, so that nobody counts twice, and what the agent said of the skills that it used in the run. Contradicted: another run superseded one of its memories. Repeated: the agent
 * got the same results three times while the run lasted; records of recalls have no query, and an answer without
 * results says nothing.
 */
export async function readReports({ db, tenantId }: Reader, traces: readonly TraceKey[]): Promise<ReportedTrace[]> {
  const { rows } = await sql<TraceKey & { success: number; failure: number } & Omit<ReportedTrace, 'feedback'>>`
    with members as materialized (
      select t.place, t.fleet_id, t.run_id, t.agent_id, m.id, m.created_at from ${ofTraces(tenantId, traces)}
    ), spans as materialized (
      select place, fleet_id, run_id, agent_id, min(created_at) as first_at, max(created_at) as last_at
      from members group by place, fleet_id, run_id, agent_id
    ), outcomes as (
      select * from (
        select distinct on (c.place, e.rater) c.place, e.outcome
        from members c cross join lateral ${feedbackOn(tenantId, sql`c.id`)} e
        order by c.place, e.rater, e.id desc
      ) given_to_memories
      union all
      select s.place, o.outcome from spans s cross join lateral ${fenced(sql`
        select outcome from skill_outcomes where tenant_id = ${tenantId} and run_id = s.run_id and agent_id = s.agent_id`)} o
    ), feedback as (
      select place, count(*) filter (where outcome = 'success')::int as success,
        count(*) filter (where outcome = 'failure')::int as failure
      from outcomes group by place
    ), contradicted as (
      select distinct c.place
      from members c
        cross join lateral ${fenced(sql`select new_id from supersessions where tenant_id = ${tenantId} and old_id = c.id`)} s
        cross join lateral ${rowOf('memories', tenantId, sql`s.new_id`)} n
      where (n.run_id, n.agent_id) is distinct from (c.run_id, c.agent_id)
    )
    select s.fleet_id as "fleetId", s.run_id as "runId", s.agent_id as "agentId",
      coalesce(f.success, 0) as success, coalesce(f.failure, 0) as failure, c.place is not null as contradicted,
      ${isRepeated(tenantId)} as "repeatedQuery"
    from spans s left join feedback f using (place) left join contradicted c using (place)`.execute(db)
  return rows.map(({ success, failure, ...report }) => ({ ...report, feedback: { success, failure } }))
}

/** Returns what was said of a memory, and by whom. */
function feedbackOn(tenantId: string, memoryId: RawBuilder<unknown>): RawBuilder<unknown> {
  return fenced(sql`
    select id, coalesce(actor_agent_id, actor_key_id) as rater, details ->> 'outcome' as outcome from audit_events
    where tenant_id = ${tenantId} and subject_id = ${memoryId}::text and action = 'memory.feedback'`)
}

/** Is true of a span s in which its agent got the same results again and again. The ids of recalls begin with their time. */
function isRepeated(tenantId: string): RawBuilder<boolean> {
  const idAt = (at: RawBuilder<unknown>) =>
    sql`(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid`
  return sql<boolean>`exists (
    select from (
      select r.results from (
        select * from recalls
        where tenant_id = ${tenantId} and agent_id = s.agent_id and recall_id >= ${idAt(sql`s.first_at`)}
          and recall_id < ${idAt(sql`s.last_at + interval '1 ms'`)}
        order by recall_id limit ${MOST_LOOKED_AT}
      ) r where coalesce(r.request ->> 'run_id', s.run_id) = s.run_id and r.memory_count > 0
      order by r.recall_id limit ${MOST_OF_TRACE}
    ) during group by jsonb_path_query_array(results, '$[*].memory_id') having count(*) >= ${REPEATED})`
}

/**
 * Returns the traces whose memories other agents were given by recall in the window. Looks through the newest recalls of
 * the tenant, once for a part; a memory that was rated a failure does not count.
 */
export async function readReused(
  { db, tenantId }: Reader,
  traces: readonly TraceKey[],
  { from, now }: Window,
): Promise<TraceKey[]> {
  const { rows } = await sql<TraceKey>`
    with given as materialized (
      select (came.result ->> 'memory_id')::uuid as id, min(r.agent_id) as first_agent, max(r.agent_id) as last_agent
      from (
        select results, agent_id from recalls
        where tenant_id = ${tenantId} and agent_id is not null and at > ${new Date(from)} and at <= ${new Date(now)}
        order by recall_id desc limit ${MOST_RECALLS}
      ) r cross join lateral jsonb_array_elements(r.results) as came(result)
      group by 1
    ), reused as materialized (
      select m.fleet_id, m.run_id, m.agent_id from given g cross join lateral ${rowOf('memories', tenantId, sql`g.id`)} m
        cross join lateral (select exists (select from ${feedbackOn(tenantId, sql`m.id`)} e where outcome = 'failure')) f(has_failed)
      where m.run_id is not null and (m.agent_id <> g.first_agent or m.agent_id <> g.last_agent) and not has_failed
      group by m.fleet_id, m.run_id, m.agent_id
    )
    select r.fleet_id as "fleetId", r.run_id as "runId", r.agent_id as "agentId" from reused r`.execute(db)
  const selected = new Set(traces.map(traceKey))
  return rows.filter((row) => selected.has(traceKey(row)))
}
