import { sql } from 'kysely'
import { CORPORA, type Corpus } from '../../domain/corpus.js'
import type { IndexingState } from '../../runtime/metrics.js'
import { ofTenant } from '../conditions.js'
import { ON_CONFLICT_REQUEUE } from './outbox.js'
import type { PendingKind } from '../schema.js'
import { CORPUS_ROWS } from '../corpora.js'
import type { Store, System } from '../store.js'

/** Time that a settled row stays: longer than any statement that drew a `seq` before it settled can still be running. */
const SETTLED_RETENTION_MS = 60_000

const SETTLED_LATELY = sql<boolean>`coalesce((
  select settled_at from index_pending where settled_at is not null order by settled_at desc limit 1
) > now() - interval '30 seconds', false)`

/** Returns whether more rows of this kind than `most` wait to be indexed; those that have failed wait for an operator. */
export async function hasBacklog({ db }: System, kind: PendingKind, most: number): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (
      select from index_pending where kind = ${kind} and settled_at is null and failed_at is null limit ${most + 1}) few`.execute(
    db,
  )
  return rows[0]!.waiting > most
}

/** Deletes up to `limit` rows that settled long enough ago; returns how many. Safe to run in many processes at once. */
export async function sweepSettled(
  { db }: System,
  options: { olderThanMs?: number; limit?: number } = {},
): Promise<number> {
  const { olderThanMs = SETTLED_RETENTION_MS, limit = 5_000 } = options
  const { rows } = await sql`
    with old as materialized (
      select tenant_id, kind, entity_id from index_pending where settled_at < now() - ${olderThanMs} * interval '1 ms'
      order by settled_at limit ${limit} for update skip locked
    )
    delete from index_pending p using old
    where p.tenant_id = old.tenant_id and p.kind = old.kind and p.entity_id = old.entity_id
    returning 1`.execute(db)
  return rows.length
}

/**
 * Releases orphaned leases, of processes that died, without waiting for them to expire; returns how many rows. For a
 * process that knows itself to be the only worker: if that were wrong, work would be done twice.
 */
export async function releaseOrphanedLeases({ db }: System): Promise<number> {
  const { rows } = await sql`
    with held as materialized (
      select tenant_id, kind, entity_id from index_pending where lease is not null
      order by tenant_id, kind, entity_id for update
    )
    update index_pending p set lease = null, ticket = null, due_at = now()
    from held h where p.tenant_id = h.tenant_id and p.kind = h.kind and p.entity_id = h.entity_id
    returning 1`.execute(db)
  return rows.length
}

/** Makes failed rows due again with all their attempts, of one tenant or of all; returns how many. */
export async function retryFailedRows({ db }: System, tenantId?: string): Promise<number> {
  const { rows } = await sql`
    with failed as materialized (
      select tenant_id, kind, entity_id from index_pending
      where failed_at is not null and ${ofTenant(tenantId)}
      order by tenant_id, kind, entity_id for update
    )
    update index_pending p set failed_at = null, attempts = 0, error = null, due_at = now(), changed_at = now()
    from failed h where p.tenant_id = h.tenant_id and p.kind = h.kind and p.entity_id = h.entity_id
    returning 1`.execute(db)
  return rows.length
}

/**
 * Returns the state of indexing. `pending` counts memories and documents that are not in the index yet: neither settled
 * nor failed. Rows of missing vectors are not pending (keyword search finds the text already), but a failed one waits
 * for an operator like any other.
 */
export async function readIndexingState({ db }: System, tenantId?: string): Promise<IndexingState> {
  const wanted = ofTenant(tenantId)
  const { rows } = await sql<{ pending: number; oldest: number | null; failed: number }>`
    select w.pending, w.oldest, (select count(*) from index_pending where failed_at is not null and ${wanted}) as failed
    from (
      select count(*) as pending, extract(epoch from greatest(now() - min(changed_at), case when count(*) > 0 then interval '0' end))::float8 as oldest
      from index_pending where kind in ('memory', 'document') and settled_at is null and failed_at is null and ${wanted}
    ) w`.execute(db)
  const { pending, oldest, failed } = rows[0]!
  return { pending, oldestAgeS: oldest, failed }
}

/**
 * Returns true when the tenant has at least `limit` changes of a corpus that are not in the index yet, and changes of any
 * tenant have settled within the last half minute: nobody catches up while the engine or every worker is away. Reads
 * at most `limit` entries of an index, however large the backlog is; the order keeps the planner from all rows.
 */
export async function isIndexingBehind(
  { db }: System,
  { tenantId, corpus, limit }: { tenantId: string; corpus: Corpus; limit: number },
): Promise<boolean> {
  const { rows } = await sql<{ behind: boolean }>`
    select exists (
        select from index_pending
        where tenant_id = ${tenantId} and kind = ${CORPUS_ROWS[corpus].kind} and settled_at is null and failed_at is null
        offset ${sql.lit(limit - 1)} limit 1
      ) and ${SETTLED_LATELY} as behind`.execute(db)
  return rows[0]!.behind
}

/** Returns true when some change has reached the index within the last half minute. */
export async function hasSettledLately({ db }: System): Promise<boolean> {
  const { rows } = await sql<{ lately: boolean }>`select ${SETTLED_LATELY} as lately`.execute(db)
  return rows[0]!.lately
}

/** Returns how many rows of a kind are neither settled nor failed, and since when the oldest waits. */
export async function readWaitingState(
  { db }: System,
  kind: PendingKind,
  tenantId?: string,
): Promise<Omit<IndexingState, 'failed'>> {
  const { rows } = await sql<{ pending: number; oldestAgeS: number | null }>`
    select count(*) as pending, extract(epoch from now() - min(changed_at))::float8 as "oldestAgeS" from index_pending
    where kind = ${kind} and settled_at is null and failed_at is null
      and ${ofTenant(tenantId)}`.execute(db)
  const { pending, oldestAgeS } = rows[0]!
  return { pending, oldestAgeS: oldestAgeS === null ? null : Math.max(0, oldestAgeS) }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Enqueues every memory and document of one tenant, or of all, again, with deleted memories as tombstones: rebuilds an
 * index from PostgreSQL. Pages by keyset, each page in its own transaction, so it can be interrupted and started again.
 * Returns how many it enqueued.
 */
export async function enqueueAll(
  store: Store,
  options: { tenantId?: string; pageSize?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let total = 0
  for (const corpus of CORPORA) total += await enqueueCorpus(store, corpus, options)
  return total
}

async function enqueueCorpus(
  store: Store,
  corpus: Corpus,
  { tenantId, pageSize = 1_000, signal }: { tenantId?: string; pageSize?: number; signal?: AbortSignal },
): Promise<number> {
  let last = { tenant: '', id: FIRST_ID }
  for (let total = 0; ;) {
    signal?.throwIfAborted()
    const page = await store.asSystem((system) => enqueuePage(system, corpus, last, pageSize, tenantId))
    total += page.count
    if (page.count < pageSize) return total
    last = page.last
  }
}

async function enqueuePage(
  { db }: System,
  corpus: Corpus,
  after: { tenant: string; id: string },
  size: number,
  tenantId?: string,
) {
  const { table, kind } = CORPUS_ROWS[corpus]
  const { rows } = await sql<{ tenant_id: string; id: string }>`
    with page as materialized (
      select tenant_id, id from ${table}
      where (tenant_id, id) > (${after.tenant}, ${after.id}::uuid)
        and ${ofTenant(tenantId)}
      order by tenant_id, id limit ${size}
    ), queued as (
      insert into index_pending (tenant_id, kind, entity_id)
      select tenant_id, ${kind}, id from page order by tenant_id, id
      ${ON_CONFLICT_REQUEUE}
    )
    select tenant_id, id from page order by tenant_id, id`.execute(db)
  const last = rows.at(-1)
  return { count: rows.length, last: { tenant: last?.tenant_id ?? '', id: last?.id ?? FIRST_ID } }
}
