import { type RawBuilder, sql } from 'kysely'
import type { PendingKind } from '../schema.js'
import type { System } from '../store.js'

/** Rows of one tenant that belong to one job until they are settled, released, or the lease expires. */
export interface ClaimedBatch {
  readonly tenantId: string
  readonly kind: PendingKind
  readonly ticket: string
  readonly ids: readonly string[]
}

interface ClaimOptions {
  /** Total number of batches wanted. */
  readonly batches: number
  /** Maximum number of rows per batch. */
  readonly batchSize: number
  readonly leaseMs: number
  /** Tenant after which to continue: `next` of the claim before, or '' for the first. */
  readonly after: string
}

interface ClaimResult {
  readonly batches: readonly ClaimedBatch[]
  /** Tenant after which the next claim continues; '' when this one reached the last tenant. */
  readonly next: string
}

/** Tenants skipped in one claim because none of their rows is due: some 10 µs each. */
const MAX_STEPS = 1_000

/**
 * Claims due rows, tenant by tenant, round robin: of `n` tenants with due rows each gets `batches / n` batches (at
 * least one, of at most `batches` tenants), so that a lone backlog moves in large batches, and a single row of another
 * tenant waits for one round, never for the backlog. Concurrent claims of other processes skip each other's rows.
 *
 * The recursion is a loose index scan: one probe of `index_pending_due` for each tenant, whose first row is its most
 * due. `due_at` of a claimed row is the end of its lease, so rows claimed by others are not even read.
 * The last limit removes no rows. It is a literal for the planner, which otherwise expects a share of the backlog and
 * reads all of it to update a few rows: 80 ms per claim at 50,000. The rows to update come from one relation with their
 * whole key: from two, and without statistics, each was looked for among all rows of its tenant, 500 ms per claim at 1,500.
 */
export async function claim({ db }: System, kind: PendingKind, options: ClaimOptions): Promise<ClaimResult> {
  const { rows } = await claimQuery(kind, options).execute(db)
  const { next, batches } = rows[0]!
  return { next, batches: (batches ?? []).map((batch) => ({ ...batch, kind })) }
}

/** Returns the statement of `claim`. Exported so that a test can check its plan. */
export function claimQuery(
  kind: PendingKind,
  { batches, batchSize, leaseMs, after }: ClaimOptions,
): RawBuilder<{ next: string; batches: Omit<ClaimedBatch, 'kind'>[] | null }> {
  return sql`
    with recursive visited(tenant_id, is_due, found, steps) as (
      select ${after}::text, false, 0, 0
      union all
      select t.tenant_id, t.is_due, v.found + t.is_due::int, v.steps + 1
      from visited v cross join lateral (
        select p.tenant_id, p.due_at <= now() as is_due from index_pending p
        where p.kind = ${kind} and p.tenant_id > v.tenant_id and p.settled_at is null and p.failed_at is null
        order by p.tenant_id, p.due_at limit 1
      ) t
      where v.found < ${batches} and v.steps < ${MAX_STEPS}
    ), taken as materialized (
      select v.tenant_id, r.entity_id from visited v cross join lateral (
        select p.entity_id from index_pending p
        where p.kind = ${kind} and p.tenant_id = v.tenant_id and p.settled_at is null and p.failed_at is null
          and p.due_at <= now() and (p.lease is null or p.lease <= now())
        order by p.due_at
        limit (select ${batches} / nullif(max(found), 0) * ${batchSize} from visited)
        for update skip locked
      ) r
      where v.is_due
      limit ${sql.lit(batches * batchSize)}
    ), parts as (
      select tenant_id, entity_id, (row_number() over (partition by tenant_id) - 1) / ${batchSize} as part from taken
    ), tickets as materialized (
      select tenant_id, part, gen_random_uuid() as ticket from parts group by tenant_id, part
    ), assigned as materialized (
      select tenant_id, entity_id, ticket from parts join tickets using (tenant_id, part)
    ), claimed as (
      update index_pending p
      set ticket = a.ticket, lease = now() + ${leaseMs} * interval '1 ms', due_at = now() + ${leaseMs} * interval '1 ms'
      from assigned a
      where p.kind = ${kind} and p.tenant_id = a.tenant_id and p.entity_id = a.entity_id
      returning p.tenant_id, p.ticket, p.entity_id
    ), batches as (
      select tenant_id, ticket, array_agg(entity_id order by entity_id) as ids from claimed group by tenant_id, ticket
    )
    select
      (select case when found >= ${batches} or steps >= ${MAX_STEPS} then tenant_id else '' end
       from visited order by steps desc limit 1) as next,
      (select jsonb_agg(jsonb_build_object('tenantId', tenant_id, 'ticket', ticket, 'ids', ids) order by tenant_id, ticket)
       from batches) as batches`
}

/** Returns those of the kinds that have unsettled rows, due or not: one index probe each, so that an idle relay claims nothing. */
export async function kindsWithRows({ db }: System, kinds: readonly PendingKind[]): Promise<Set<PendingKind>> {
  const { rows } = await kindsWithRowsQuery(kinds).execute(db)
  return new Set(rows.map((row) => row.kind))
}

/** Returns the statement of `kindsWithRows`. Exported so that a test can check its plan. */
export function kindsWithRowsQuery(kinds: readonly PendingKind[]): RawBuilder<{ kind: PendingKind }> {
  return sql`
    select given.kind from unnest(${kinds as PendingKind[]}::text[]) as given(kind) cross join lateral (
      select from index_pending p where p.kind = given.kind and p.settled_at is null and p.failed_at is null
      order by p.tenant_id, p.due_at limit 1
    ) one`
}

/** Returns those of the tickets that still have a row whose lease has not expired. */
export async function findLiveTickets({ db }: System, tickets: readonly string[]): Promise<Set<string>> {
  if (tickets.length === 0) return new Set()
  const { rows } = await sql<{ ticket: string }>`
    select ticket from unnest(${tickets as string[]}::uuid[]) as given(ticket)
    where exists (select from index_pending p where p.ticket = given.ticket and p.lease > now())`.execute(db)
  return new Set(rows.map((row) => row.ticket))
}
