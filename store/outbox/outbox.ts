import { type RawBuilder, sql } from 'kysely'
import type { PendingKind } from '../schema.js'
import type { System, Writer } from '../store.js'

/** A row as a job read it: `seq` is the version under which its document was written. */
export interface RowSeq {
  readonly id: string
  readonly seq: number
}

export interface FailedAttempt {
  readonly id: string
  /** Null when the row could not even be read. */
  readonly seq: number | null
  /** Short, and without the text of a memory. */
  readonly error: string
}

export interface RetryOptions {
  /** Delay after the first failed attempt in ms; each further one doubles it, up to `maxMs`, times 0.5 to 1.5. */
  readonly baseMs: number
  readonly maxMs: number
  /** Number of attempts after which a row has failed. */
  readonly limit: number
}

export const RETRY_OPTIONS: RetryOptions = { baseMs: 1_000, maxMs: 300_000, limit: 8 }

/**
 * Inserts rows into index_pending, in the transaction that changes them and after it has locked them (README.md). A row
 * that exists already gets a new `seq`, drawn while it is locked, and its lease, attempts and error are cleared: it is
 * a new change.
 */
export async function enqueue(
  writer: Writer,
  kind: PendingKind,
  ids: readonly string[],
  options: { afterMs?: number } = {},
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into index_pending (tenant_id, kind, entity_id, due_at)
    select ${writer.tenantId}, ${kind}, id, now() + ${options.afterMs ?? 0} * interval '1 ms'
    from (select distinct unnest(${ids as string[]}::uuid[]) as id) given order by id
    ${ON_CONFLICT_REQUEUE}`.execute(writer.db)
}

/**
 * Ends an insert into `index_pending` of rows that may exist already: an existing one becomes a new change. A `where`
 * may follow.
 */
export const ON_CONFLICT_REQUEUE = sql`
  on conflict (tenant_id, kind, entity_id) do update set seq = nextval('change_seq'), changed_at = now(),
    due_at = excluded.due_at, attempts = 0, lease = null, ticket = null, settled_at = null, failed_at = null, error = null`

/**
 * Settles rows that a job wrote, once they are searchable: those that still belong to this ticket and have not changed
 * since they were read. Returns their ids; the others stay pending. Each row returned is locked until the transaction
 * ends.
 */
export async function settle(
  writer: Writer,
  kind: PendingKind,
  ticket: string,
  read: readonly RowSeq[],
): Promise<string[]> {
  if (read.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    with given as (
      select * from unnest(${read.map((row) => row.id)}::uuid[], ${read.map((row) => row.seq)}::bigint[]) as g(id, seq)
    ), held as materialized (
      select p.* from (select * from given order by id) g
        cross join lateral ${lockedRow(writer, kind, sql`entity_id = g.id and ticket = ${ticket} and seq = g.seq`)} p
    )
    update index_pending p set settled_at = now(), lease = null, ticket = null, attempts = 0, error = null
    from held where p.tenant_id = held.tenant_id and p.kind = held.kind and p.entity_id = held.entity_id
    returning p.entity_id as id`.execute(writer.db)
  return rows.map((row) => row.id)
}

/**
 * Records a failed attempt for each row, releases it with a delay, and marks it as failed after the last one. Returns
 * the ids of failed rows.
 */
export async function recordAttempt(
  writer: Writer,
  kind: PendingKind,
  ticket: string,
  failures: readonly FailedAttempt[],
  { baseMs, maxMs, limit }: RetryOptions = RETRY_OPTIONS,
): Promise<string[]> {
  if (failures.length === 0) return []
  const given = failures.map(({ id, seq, error }) => ({ id, seq, error: error.slice(0, 200) }))
  const { rows } = await sql<{ id: string; failed: boolean }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g(id uuid, seq bigint, error text)
    ), held as materialized (
      select p.*, g.error from (select * from given order by id) g
        cross join lateral ${lockedRow(writer, kind, sql`entity_id = g.id and ticket = ${ticket} and seq = coalesce(g.seq, seq)`)} p
    )
    update index_pending p set attempts = p.attempts + 1, error = held.error, lease = null, ticket = null,
      due_at = now() + least(${baseMs} * power(2, p.attempts), ${maxMs}) * (0.5 + random()) * interval '1 ms',
      failed_at = case when p.attempts + 1 >= ${limit} then now() end
    from held where p.tenant_id = held.tenant_id and p.kind = held.kind and p.entity_id = held.entity_id
    returning p.entity_id as id, p.failed_at is not null as failed`.execute(writer.db)
  return rows.filter((row) => row.failed).map((row) => row.id)
}

/**
 * Selects the key of a row and locks it, for a lateral join: in the order of the rows beside it. As in `rowOf`
 * (store/rows-by-id.ts) the limit keeps the planner from reading all rows of the tenant, and so does a key that is compared
 * with one relation's columns alone: without statistics, as in an import, 250 rows beside 1,750 others took 100 ms.
 */
function lockedRow({ tenantId }: Writer, kind: PendingKind, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select tenant_id, kind, entity_id from index_pending
    where tenant_id = ${tenantId} and kind = ${kind} and ${condition} limit 1 for update)`
}

/**
 * Requeues the rows of these tickets, due again after `afterMs`, without counting an attempt: an engine, an embedder or
 * the queue is unavailable. Returns how many.
 */
export async function requeueWithoutAttempt(
  { db }: System,
  tickets: readonly string[],
  afterMs: number,
): Promise<number> {
  if (tickets.length === 0) return 0
  const { rows } = await sql`
    with held as materialized (
      select tenant_id, kind, entity_id from index_pending where ticket = any(${tickets as string[]}::uuid[])
      order by tenant_id, kind, entity_id for update
    )
    update index_pending p set lease = null, ticket = null, due_at = now() + ${afterMs} * interval '1 ms'
    from held h where p.tenant_id = h.tenant_id and p.kind = h.kind and p.entity_id = h.entity_id
    returning 1`.execute(db)
  return rows.length
}
