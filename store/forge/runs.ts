import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { KeptWork } from '../../domain/forge/proposed-skill.js'
import type { ForgeProgress, ForgeResult } from '../../domain/forge/run-record.js'
import { anyOfQuery, NOW } from '../conditions.js'
import type { Database, ForgeRunState, ForgeTrigger } from '../schema.js'
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

const COLUMNS = [
  'run_id as runId',
  'tenant_id as tenantId',
  'state',
  'trigger',
  'slot',
  'dry_run as dryRun',
  'requested_at as requestedAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'attempts',
  'progress',
  'result',
  'error',
] as const

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
  const row = await db
    .updateTable('forge_runs as r')
    .set(({ eb, fn, val }) => ({
      state: 'running',
      owner,
      lease: fromNow(leaseMs),
      attempts: eb('attempts', '+', 1),
      started_at: fn.coalesce('started_at', val(at)),
      waits_since: NOW,
    }))
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where(isClaimable(at))
    .returning([...COLUMNS, 'spent_ms as spentMs', 'kept'])
    .executeTakeFirst()
  return row ? { ...row, owner } : null
}

/** Returns the time this long from now. */
function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + ${ms} * interval '1 ms'`
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
  const { numUpdatedRows } = await db
    .updateTable('forge_runs')
    .set({ lease: fromNow(leaseMs), progress: JSON.stringify(progress) })
    .where(isOwned(run, tenantId))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Locks the run until the transaction ends. Returns false when it belongs to another worker by now: what the transaction
 * does after this is done by nobody else.
 */
export async function lockRun({ db, tenantId }: Writer, run: ClaimedRun): Promise<boolean> {
  const row = await db.selectFrom('forge_runs').where(isOwned(run, tenantId)).forNoKeyUpdate().executeTakeFirst()
  return row !== undefined
}

/** Stores what the run has written so far, in the transaction that writes it; the row is locked by `lockRun`. */
export async function saveResult(
  { db, tenantId }: Writer,
  run: ClaimedRun,
  { result, spentMs }: { result: ForgeResult; spentMs: number },
): Promise<void> {
  await db
    .updateTable('forge_runs')
    .set({ result: JSON.stringify(result), spent_ms: spentMs })
    .where(isOwned(run, tenantId))
    .execute()
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
  const { numUpdatedRows } = await db
    .updateTable('forge_runs')
    .set({ state: end.state, finished_at: end.at, result: JSON.stringify(end.result), error: end.error })
    .set({ owner: null, lease: null, progress: '{}', kept: '{}' })
    .where(isOwned(run, tenantId))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await db
    .updateTable('forge_runs')
    .set({ waits_since: NOW })
    .where('tenant_id', '=', tenantId)
    .where('state', '=', sql.lit('queued'))
    .execute()
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
  const kept = { result: JSON.stringify(work.result), kept: JSON.stringify(work.kept), spent_ms: work.spentMs }
  let update = db.updateTable('forge_runs').set(kept).where(isOwned(run, tenantId))
  if (work.passes) update = update.set(waiting).set({ progress: '{}', waits_since: NOW })
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0n
}

/** Makes the run wait for another worker, without counting the attempt, because this one is asked to stop. */
export async function releaseRun({ db, tenantId }: Writer, run: ClaimedRun): Promise<void> {
  await db.updateTable('forge_runs').set(waiting).where(isOwned(run, tenantId)).execute()
}

/** Makes a run wait for another worker, without counting the attempt. */
function waiting({ eb }: ExpressionBuilder<Database, 'forge_runs'>) {
  return { state: 'queued' as const, owner: null, lease: null, attempts: eb('attempts', '-', 1) }
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
  await db
    .updateTable('forge_runs')
    .set({ state: 'queued', owner: null, lease: null })
    .where('state', '=', sql.lit('running'))
    .execute()
}

export async function findRun({ db, tenantId }: Reader, runId: string): Promise<ForgeRun | undefined> {
  return db
    .selectFrom('forge_runs')
    .select(COLUMNS)
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
}

/** Lists runs, the last requested first; run ids are UUIDv7, whose order is that of their times. */
export async function listRuns({ db, tenantId }: Reader, { after, limit }: Keyset<string>): Promise<ForgeRun[]> {
  let query = db
    .selectFrom('forge_runs')
    .select(COLUMNS)
    .where('tenant_id', '=', tenantId)
    .orderBy('run_id', 'desc')
    .limit(limit)
  if (after !== undefined) query = query.where('run_id', '<', after)
  return query.execute()
}

/** Returns the result of the tenant's last run that got to its parts and was not dry; an empty one when there is none. */
export async function readLastResult({ db, tenantId }: Reader): Promise<ForgeResult> {
  const row = await db
    .selectFrom('forge_runs')
    .select('result')
    .where('tenant_id', '=', tenantId)
    .where('finished_at', 'is not', null)
    .where(sql<boolean>`not dry_run and result -> 'parts' <> '[]'`)
    .orderBy('finished_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.result ?? {}
}

/** Deletes up to `limit` runs that ended before this time; returns how many. */
export async function purgeRuns({ db }: System, { before, limit }: { before: Date; limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from forge_runs where ctid = ${anyOfQuery(sql`
      select ctid from forge_runs where finished_at < ${before} order by finished_at limit ${limit} for update skip locked`)}`.execute(
    db,
  )
  return Number(numAffectedRows)
}
