import { sql } from 'kysely'
import { CORPORA, type Corpus } from '../../domain/corpus.js'
import { documentTotal } from '../documents/collections.js'
import { ofTenant } from '../conditions.js'
import { CORPUS_ROWS } from '../corpora.js'
import type { System } from '../store.js'
import { memoryTotal } from '../tenants/counters.js'

/** Numbers of rows, by corpus. */
export type RowCounts = { readonly [K in Corpus]: number }

/** Counts the live rows of one tenant, or of all, by the kept counters, and says when (by Postgres' clock) there were as many. */
export async function countRows({ db }: System, tenantId?: string): Promise<RowCounts & { readonly at: Date }> {
  const tenant = tenantId === undefined ? undefined : sql`${tenantId}::text`
  const { rows } = await sql<RowCounts & { at: Date }>`
    select ${memoryTotal(tenant)} as memories, ${documentTotal(tenant)} as documents, now() as at`.execute(db)
  return rows[0]!
}

/** Counts the rows themselves: linear in them, where the kept counters are not enough. */
export async function scanRows({ db }: System, tenantId?: string): Promise<RowCounts & { readonly at: Date }> {
  const count = (corpus: Corpus) => sql`(select count(*) from ${CORPUS_ROWS[corpus].table}
    where ${ofTenant(tenantId)} and ${CORPUS_ROWS[corpus].isLive})`
  const { rows } = await sql<RowCounts & { at: Date }>`
    select ${count('memories')} as memories, ${count('documents')} as documents, now() as at`.execute(db)
  return rows[0]!
}

/**
 * Counts the rows by which an index may differ from what was counted at `since`: those that were pending then, failed ones too, or have changed
 * since. A settled row stays for a minute, so this must be asked within that.
 */
export async function countInFlightRows({ db }: System, since: Date, tenantId?: string): Promise<RowCounts> {
  const { rows } = await sql<{ kind: string; moving: number }>`
    select kind, count(*) as moving from index_pending
    where kind in (${sql.join(CORPORA.map((corpus) => CORPUS_ROWS[corpus].kind))}) and ${ofTenant(tenantId)}
      and (settled_at is null or settled_at >= ${since}::timestamptz - interval '10 ms')
    group by kind`.execute(db)
  const of = (corpus: Corpus) => rows.find(({ kind }) => kind === CORPUS_ROWS[corpus].kind)?.moving ?? 0
  return { memories: of('memories'), documents: of('documents') }
}

/** The last count of an index. */
export type IndexCounts = { readonly [K in Corpus]: { readonly documents: number; readonly rows: number } }

/**
 * Starts the next count of an index, unless another process did less than `everyMs` ago: then returns null. Returns the
 * tenants to count one by one this time: a few after those of the last count, in the order of their ids.
 */
export async function startCount(
  { db }: System,
  buildId: string,
  { everyMs, tenants }: { readonly everyMs: number; readonly tenants: number },
): Promise<readonly string[] | null> {
  const { rows: taken } = await sql<{ after: string }>`
    update index_builds set counted_at = now() where id = ${buildId} and made_at is not null and lost_at is null
      and (counted_at is null or counted_at < now() - ${everyMs} * interval '1 ms' or counted_at > now())
    returning counted_to as after`.execute(db)
  if (!taken[0]) return null
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id as "tenantId" from tenant_totals where tenant_id > ${taken[0].after}
    order by tenant_id limit ${tenants}`.execute(db)
  const next = rows.length < tenants ? '' : rows.at(-1)!.tenantId
  await sql`update index_builds set counted_to = ${next} where id = ${buildId}`.execute(db)
  return rows.map(({ tenantId }) => tenantId)
}

export async function saveCounts({ db }: System, buildId: string, counts: IndexCounts): Promise<void> {
  await sql`update index_builds set counts = ${JSON.stringify(counts)}::jsonb where id = ${buildId}`.execute(db)
}

/** Returns the last count, or null when there is none. */
export async function readCounts({ db }: System, buildId: string): Promise<IndexCounts | null> {
  const { rows } = await sql<{ counts: IndexCounts | null }>`
    select counts from index_builds where id = ${buildId}`.execute(db)
  return rows[0]?.counts ?? null
}
