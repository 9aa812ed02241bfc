import { type RawBuilder, sql } from 'kysely'
import type { KeptWork } from '../../domain/forge/proposed-skill.js'
import type { ForgeProgress, ForgeResult } from '../../domain/forge/run-record.js'
import type { ForgeRunState, ForgeTrigger } from '../schema.js'
import type { Keyset } from '../keyset.js'
import type { Reader, System, Writer } from '../store.js'

/** One tick of the Forge over one tenant. */
export interface ForgeRun {
  readonly runId: string
  readonly tenantId: string
  readonly state: ForgeRunState
  readonly trigger: ForgeTrigger
  /** The time that a scheduled run was due at; null for a manual one. */
  readonly slot: Date | null
  readonly dryRun: boolean
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Number of times that a worker has begun it. */
  readonly attempts: number
  readonly progress: ForgeProgress
  readonly result: ForgeResult
  /** Why it failed: kinds and codes only. */
  readonly error: string | null
}

/** A run that a worker has claimed: it belongs to this owner while the lease lasts. */
export interface ClaimedRun extends ForgeRun {
  readonly owner: string
  /** Milliseconds of work in its earlier turns. */
  readonly spentMs: number
  readonly kept: KeptWork
}

const COLUMNS = sql`run_id as "runId", tenant_id as "tenantId", state, trigger, slot, dry_run as "dryRun",
  requested_at as "requestedAt", started_at as "startedAt", finished_at as "finishedAt", attempts, progress, result, error`

/**
 * Stores the run of a slot, which waits for a worker. Stores nothing where the slot has its run already, or while a scheduled run of the
 * tenant waits that has not begun: that one will read all that this one would.
 */
export async function insertScheduledRun(
  { db, tenantId }: Writer,
  { runId, at, slot }: { readonly runId: string; readonly at: Date; readonly slot: Date },
): Promise<void> {
  await lockClaims({ db, tenantId })
  await sql`
    insert into forge_runs (tenant_id, run_id, trigger, slot, requested_at, waits_since)
    select ${tenantId}, ${runId}::uuid, 'schedule', ${slot}::timestamptz, ${at}::timestamptz, now()
    where not exists (
      select from forge_runs where tenant_id = ${tenantId} and trigger = 'schedule' and state = 'queued' and started_at is null)
    on conflict (tenant_id, slot) do nothing`.execute(db)
}

/** Stores manual runs of several tenants, in the order of the tenants. */
export async function insertManualRuns(
  { db }: System,
  runs: readonly { readonly tenantId: string; readonly runId: string }[],
  { dryRun, at }: { readonly dryRun: boolean; readonly at: Date },
): Promise<void> {
  if (runs.length === 0) return
  await sql`
    insert into forge_runs (tenant_id, run_id, trigger, dry_run, requested_at, waits_since)
    select tenant_id, run_id, 'manual', ${dryRun}, ${at}, now()
    from unnest(${runs.map(({ tenantId }) => tenantId)}::text[], ${runs.map(({ runId }) => runId)}::uuid[]) as r(tenant_id, run_id)
    order by tenant_id`.execute(db)
}

/** Lets runs of a tenant be scheduled, claimed and ended one after the other, and none while an erasure begins. */
async function lockClaims({ db, tenantId }: Pick<Writer, 'db' | 'tenantId'>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`forge:${tenantId}`}, 0))`.execute(db)
}

/** Is true of an erasure e that a request carries out, or that was broken off. */
const IS_UNDER_WAY = sql<boolean>`e.hash = '' and e.receipt = '{}'`

/**
 * Returns the condition that a run r may be claimed: it waits, or its worker has died; no other run of the tenant is under way, between
 * two turns included; and no memories of the tenant are being erased: a request for that has 90 s, after 2 min it was broken off.
 */
export function isClaimable(at: Date): RawBuilder<boolean> {
  return sql<boolean>`(r.state = 'queued' or (r.state = 'running' and r.lease < now()))
    and not exists (
      select from forge_runs o where o.tenant_id = r.tenant_id and o.run_id <> r.run_id
        and (o.state = 'running' or (o.state = 'queued' and o.kept <> '{}')))
    and not exists (
      select from erasures e where e.tenant_id = r.tenant_id and ${IS_UNDER_WAY} and e.at > ${at}::timestamptz - interval '2 min')`
}

/** Claims a run for `leaseMs`. Returns null when it may not be claimed, is over, or belongs to another worker. */
export async function claimRun(
  { db, tenantId }: Writer,
  { runId, owner, leaseMs, at }: { runId: string; owner: string; leaseMs: number; at: Date },
): Promise<ClaimedRun | null> {
  await lockClaims({ db, tenantId })
  const { rows } = await sql<Omit<ClaimedRun, 'owner'>>`
    update forge_runs r set state = 'running', owner = ${owner}, lease = now() + ${leaseMs} * interval '1 ms',
      attempts = attempts + 1, started_at = coalesce(started_at, ${at}), waits_since = now()
    where tenant_id = ${tenantId} and run_id = ${runId} and ${isClaimable(at)}
    returning ${COLUMNS}, spent_ms as "spentMs", kept`.execute(db)
  return rows[0] ? { ...rows[0], owner } : null
}

/** Returns the condition that a run still belongs to the worker that claimed it. */
function isOwned({ runId, owner }: ClaimedRun, tenantId: string): RawBuilder<boolean> {
  return sql<boolean>`tenant_id = ${tenantId} and run_id = ${runId} and state = 'running' and owner = ${owner}`
}

/** Renews the lease and stores how far the run is. Returns false when it belongs to another worker by now. */
export async function renewRun(
  { db, tenantId }: Writer,
  run: ClaimedRun,
  { leaseMs, progress }: { leaseMs: number; progress: ForgeProgress },
): Promise<boolean> {
  const { rows } = await sql`
    update forge_runs set lease = now() + ${leaseMs} * interval '1 ms', progress = ${JSON.stringify(progress)}::jsonb
    where ${isOwned(run, tenantId)} returning 1`.execute(db)
  return rows.length > 0
}

/**
 * Locks the run until the transaction ends. Returns false when it belongs to another worker by now: what the transaction
 * does after this is done by nobody else.
 */
export async function lockRun({ db, tenantId }: Writer, run: ClaimedRun): Promise<boolean> {
  const { rows } = await sql`select from forge_runs where ${isOwned(run, tenantId)} for no key update`.execute(db)
  return rows.length > 0
}

/** Stores what the run has written so far, in the transaction that writes it; the row is locked by `lockRun`. */
export async function saveResult(
  { db, tenantId }: Writer,
  run: ClaimedRun,
  { result, spentMs }: { result: ForgeResult; spentMs: number },
): Promise<void> {
  await sql`
    update forge_runs set result = ${JSON.stringify(result)}::jsonb, spent_ms = ${spentMs}
    where ${isOwned(run, tenantId)}`.execute(db)
}

/**
 * Ends a run. Returns false when it belongs to another worker by now. The tenant has had its turn: its other runs wait from now on.
 */
export async function finishRun(
  { db, tenantId }: Writer,
  run: ClaimedRun,
  end: { at: Date; state: 'succeeded' | 'failed'; result: ForgeResult; error: string | null },
): Promise<boolean> {
  await lockClaims({ db, tenantId })
  const { rows } = await sql`
    update forge_runs set state = ${end.state}, finished_at = ${end.at}, owner = null, lease = null, progress = '{}', kept = '{}',
      result = ${JSON.stringify(end.result)}::jsonb, error = ${end.error}
    where ${isOwned(run, tenantId)} returning 1`.execute(db)
  if (rows.length === 0) return false
  await sql`
    update forge_runs set waits_since = now() where tenant_id = ${tenantId} and state = 'queued'`.execute(db)
  return true
}

/**
 * Stores what the run has done and found so far, from which it goes on after a turn of another tenant, and with another worker. One that
 * passes waits for its next turn, without counting an attempt. Returns false when it belongs to another worker by now.
 */
export async function keepRun(
  { db, tenantId }: Writer,
  run: ClaimedRun,
  work: { result: ForgeResult; kept: KeptWork; spentMs: number; passes: boolean },
): Promise<boolean> {
  const passed = sql`, state = 'queued', owner = null, lease = null, progress = '{}', attempts = attempts - 1, waits_since = now()`
  const { rows } = await sql`
    update forge_runs set result = ${JSON.stringify(work.result)}::jsonb, kept = ${JSON.stringify(work.kept)}::jsonb,
      spent_ms = ${work.spentMs} ${work.passes ? passed : sql``}
    where ${isOwned(run, tenantId)} returning 1`.execute(db)
  return rows.length > 0
}

/** Makes the run wait for another worker, without counting the attempt, because this one is asked to stop. */
export async function releaseRun({ db, tenantId }: Writer, run: ClaimedRun): Promise<void> {
  await sql`update forge_runs set state = 'queued', owner = null, lease = null, attempts = attempts - 1
    where ${isOwned(run, tenantId)}`.execute(db)
}

/**
 * Takes the tenant's run from its worker, which writes nothing more then, in the transaction that begins an erasure, and drops what runs
 * that are not over have read: it is about to be erased. A worker begins them again once the erasure is over; what a run has written
 * stays in its record.
 */
export async function interruptRuns({ db, tenantId }: Writer): Promise<void> {
  await lockClaims({ db, tenantId })
  const written = sql`coalesce((select jsonb_agg(candidate order by place)
    from jsonb_array_elements(result -> 'candidates') with ordinality as listed(candidate, place)
    where candidate ->> 'outcome' in ('created', 'refreshed')), '[]')`
  // More are counted than are listed.
  const counts = sql`jsonb_strip_nulls(jsonb_build_object('created', result #> '{outcomes,created}', 'refreshed', result #> '{outcomes,refreshed}'))`
  await sql`
    update forge_runs set state = 'queued', owner = null, lease = null, progress = '{}', spent_ms = 0, kept = '{}',
      attempts = case when state = 'running' then greatest(attempts - 1, 0) else attempts end,
      result = case when result = '{}' then result
        else jsonb_build_object('candidates', ${written}, 'outcomes', ${counts}, 'model', result -> 'model') end
    where tenant_id = ${tenantId} and (state = 'running' or (state = 'queued' and result <> '{}'))`.execute(db)
}

/** Removes the name and the reason of those candidates in the records of runs that meet a condition. */
export async function forgetCandidates(
  { db, tenantId }: Writer,
  isMeant: (candidate: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<void> {
  const listed = sql`jsonb_array_elements(coalesce(r.result -> 'candidates', '[]')) with ordinality as listed(candidate, place)`
  const without = sql`candidate || '{"doc_id": null, "reason": null, "wording_note": null}'`
  await sql`
    update forge_runs r set result = jsonb_set(result, '{candidates}', (
      select jsonb_agg(case when ${isMeant(sql`candidate`)} then ${without} else candidate end order by place) from ${listed}))
    where tenant_id = ${tenantId} and exists (select from ${listed} where ${isMeant(sql`candidate`)})`.execute(db)
}

/** Makes all runs wait that belong to a worker: for the start of the only one, whose predecessor has died. */
export async function releaseOrphanedRuns({ db }: System): Promise<void> {
  await sql`update forge_runs set state = 'queued', owner = null, lease = null where state = 'running'`.execute(db)
}

export async function findRun({ db, tenantId }: Reader, runId: string): Promise<ForgeRun | undefined> {
  const { rows } = await sql<ForgeRun>`
    select ${COLUMNS} from forge_runs where tenant_id = ${tenantId} and run_id = ${runId}`.execute(db)
  return rows[0]
}

/** Lists runs, the last requested first; run ids are UUIDv7, whose order is that of their times. */
export async function listRuns({ db, tenantId }: Reader, { after, limit }: Keyset<string>): Promise<ForgeRun[]> {
  const { rows } = await sql<ForgeRun>`
    select ${COLUMNS} from forge_runs
    where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and run_id < ${after}::uuid`}
    order by run_id desc limit ${limit}`.execute(db)
  return rows
}

/** Returns the result of the tenant's last run that got to its parts and was not dry; an empty one when there is none. */
export async function readLastResult({ db, tenantId }: Reader): Promise<ForgeResult> {
  const { rows } = await sql<{ result: ForgeResult }>`
    select result from forge_runs
    where tenant_id = ${tenantId} and finished_at is not null and not dry_run and result -> 'parts' <> '[]'
    order by finished_at desc, run_id desc limit 1`.execute(db)
  return rows[0]?.result ?? {}
}

/** Deletes up to `limit` runs that ended before this time; returns how many. */
export async function purgeRuns({ db }: System, { before, limit }: { before: Date; limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from forge_runs where (tenant_id, run_id) in (
      select tenant_id, run_id from forge_runs where finished_at < ${before} order by finished_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
