import { type RawBuilder, sql } from 'kysely'
import type { TraceReports } from '../../domain/forge/outcome.js'
import type { Window } from '../../domain/forge/traces.js'
import type { Reader } from '../store.js'
import { ofTraces, type TraceKey } from './evidence.js'

/** Recalls of the window that are looked through for memories that other agents were given, the newest first. */
const MOST_RECALLS = 20_000
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
      select t.fleet_id, t.run_id, t.agent_id, m.id, m.created_at from ${ofTraces(tenantId, traces)}
    ), spans as (
      select fleet_id, run_id, agent_id, min(created_at) as first_at, max(created_at) as last_at
      from members group by fleet_id, run_id, agent_id
    ), outcomes as (
      select * from (
        select distinct on (c.fleet_id, c.run_id, c.agent_id, coalesce(e.actor_agent_id, e.actor_key_id))
          c.fleet_id, c.run_id, c.agent_id, e.details ->> 'outcome' as outcome
        from members c join audit_events e on e.tenant_id = ${tenantId} and e.subject_id = c.id::text and e.action = 'memory.feedback'
        order by c.fleet_id, c.run_id, c.agent_id, coalesce(e.actor_agent_id, e.actor_key_id), e.id desc
      ) given_to_memories
      union all
      select s.fleet_id, s.run_id, s.agent_id, o.outcome
      from spans s join skill_outcomes o on o.tenant_id = ${tenantId} and o.run_id = s.run_id and o.agent_id = s.agent_id
    ), feedback as (
      select fleet_id, run_id, agent_id, count(*) filter (where outcome = 'success')::int as success,
        count(*) filter (where outcome = 'failure')::int as failure
      from outcomes group by fleet_id, run_id, agent_id
    ), contradicted as (
      select distinct c.fleet_id, c.run_id, c.agent_id
      from members c join supersessions s on s.tenant_id = ${tenantId} and s.old_id = c.id
        join memories n on n.tenant_id = ${tenantId} and n.id = s.new_id
      where (n.run_id, n.agent_id) is distinct from (c.run_id, c.agent_id)
    )
    select s.fleet_id as "fleetId", s.run_id as "runId", s.agent_id as "agentId",
      coalesce(f.success, 0) as success, coalesce(f.failure, 0) as failure, c.run_id is not null as contradicted,
      ${isRepeated(tenantId)} as "repeatedQuery"
    from spans s
      left join feedback f on ${sameTrace('f')}
      left join contradicted c on ${sameTrace('c')}`.execute(db)
  return rows.map(({ success, failure, ...report }) => ({ ...report, feedback: { success, failure } }))
}

function sameTrace(alias: 'f' | 'c'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<boolean>`${of('run_id')} = s.run_id and ${of('agent_id')} = s.agent_id
    and ${of('fleet_id')} is not distinct from s.fleet_id`
}

/** Is true of a span s in which its agent got the same results again and again. The ids of recalls begin with their time. */
function isRepeated(tenantId: string): RawBuilder<boolean> {
  const idAt = (at: RawBuilder<unknown>) =>
    sql`(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid`
  return sql<boolean>`exists (
    select from (
      select r.results from recalls r
      where r.tenant_id = ${tenantId} and r.agent_id = s.agent_id and r.recall_id >= ${idAt(sql`s.first_at`)}
        and r.recall_id < ${idAt(sql`s.last_at + interval '1 ms'`)} and coalesce(r.request ->> 'run_id', s.run_id) = s.run_id
        and r.memory_count > 0
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
      select (came.result ->> 'memory_id')::uuid as id, r.agent_id
      from (
        select results, agent_id from recalls
        where tenant_id = ${tenantId} and agent_id is not null and at > ${new Date(from)} and at <= ${new Date(now)}
        order by recall_id desc limit ${MOST_RECALLS}
      ) r cross join lateral jsonb_array_elements(r.results) as came(result)
    ), distinct_given as materialized (select distinct id, agent_id from given)
    select distinct t.fleet_id as "fleetId", t.run_id as "runId", t.agent_id as "agentId"
    from distinct_given g join memories m on m.tenant_id = ${tenantId} and m.id = g.id and m.agent_id <> g.agent_id
      join unnest(${traces.map(({ fleetId }) => fleetId)}::text[], ${traces.map(({ runId }) => runId)}::text[],
        ${traces.map(({ agentId }) => agentId)}::text[]) as t(fleet_id, run_id, agent_id)
        on t.run_id = m.run_id and t.agent_id = m.agent_id and t.fleet_id is not distinct from m.fleet_id
    where not exists (select from audit_events e where e.tenant_id = ${tenantId} and e.subject_id = m.id::text
      and e.action = 'memory.feedback' and e.details ->> 'outcome' = 'failure')`.execute(db)
  return rows
}
