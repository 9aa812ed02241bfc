import { sql } from 'kysely'
import { equal } from '../conditions.js'
import type { Reader, System, Writer } from '../store.js'

/** Records that a run of an agent received the keystone set with this tag. */
interface Acknowledgement {
  readonly agentId: string
  readonly runId: string
  readonly etag: string
  readonly acknowledgedAt: Date
}

/**
 * Records an acknowledgement. Repeating it for the same set changes nothing; when the run has received another set
 * since, that one replaces it. Returns what is stored.
 */
export async function acknowledge(
  { db, tenantId }: Writer,
  { agentId, runId, etag, acknowledgedAt }: Acknowledgement,
): Promise<Acknowledgement> {
  const { rows } = await sql<{ acknowledgedAt: Date }>`
    insert into keystone_acknowledgements as k (tenant_id, agent_id, run_id, etag, acknowledged_at)
    values (${tenantId}, ${agentId}, ${runId}, ${etag}, ${acknowledgedAt})
    on conflict (tenant_id, agent_id, run_id) do update set etag = excluded.etag,
      acknowledged_at = case when k.etag = excluded.etag then k.acknowledged_at else excluded.acknowledged_at end,
      seq = case when k.etag = excluded.etag then k.seq else nextval('change_seq') end
    returning acknowledged_at as "acknowledgedAt"`.execute(db)
  return { agentId, runId, etag, acknowledgedAt: rows[0]!.acknowledgedAt }
}

/** An agent and its last acknowledgement, or that of the run in the filter; nulls where there is none. */
interface CoveredAgent {
  readonly agentId: string
  readonly fleetId: string | null
  readonly runId: string | null
  readonly etag: string | null
  readonly acknowledgedAt: Date | null
}

interface CoverageFilter {
  readonly agentId?: string | undefined
  readonly fleetId?: string | undefined
  readonly runId?: string | undefined
  /** Includes agents without an acknowledgement. */
  readonly includesUnacknowledged: boolean
}

/** Returns registered agents, by agent_id. */
export async function readCoverage({ db, tenantId }: Reader, filter: CoverageFilter): Promise<CoveredAgent[]> {
  const { rows } = await sql<CoveredAgent>`
    select a.agent_id as "agentId", a.fleet_id as "fleetId", k.run_id as "runId", k.etag, k.acknowledged_at as "acknowledgedAt"
    from agents a left join lateral (
      select l.run_id, l.etag, l.acknowledged_at from keystone_acknowledgements l
      where ${sql.join(
        [
          sql`l.tenant_id = a.tenant_id and l.agent_id = a.agent_id`,
          sql`l.tenant_id = ${tenantId}`,
          ...equal(sql`l.run_id`, filter.runId),
        ],
        sql` and `,
      )}
      order by l.seq desc limit 1
    ) k on true
    where ${sql.join(
      [
        sql`a.tenant_id = ${tenantId} and a.deleted_at is null`,
        ...equal(sql`a.agent_id`, filter.agentId),
        ...equal(sql`a.fleet_id`, filter.fleetId),
        ...(filter.includesUnacknowledged ? [] : [sql`k.etag is not null`]),
      ],
      sql` and `,
    )}
    order by a.agent_id`.execute(db)
  return rows
}

/** Deletes the acknowledgements of an agent that is erased. */
export async function forgetAcknowledgements({ db, tenantId }: Writer, agentId: string): Promise<void> {
  await db
    .deleteFrom('keystone_acknowledgements')
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .execute()
}

/**
 * Deletes up to `limit` acknowledgements from before a time, in all tenants, but never an agent's last. Returns how
 * many.
 */
export async function purgeAcknowledgements(
  { db }: System,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql`
    with old as materialized (
      select k.ctid from keystone_acknowledgements k
      where k.acknowledged_at < ${before} and exists (
        select from keystone_acknowledgements l
        where l.tenant_id = k.tenant_id and l.agent_id = k.agent_id and l.seq > k.seq)
      order by k.acknowledged_at limit ${limit} for update of k skip locked
    )
    delete from keystone_acknowledgements k using old where k.ctid = old.ctid
    returning 1`.execute(db)
  return rows.length
}
