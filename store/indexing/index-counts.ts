import { sql } from 'kysely'
import { CORPORA, type Corpus } from '../../domain/corpus.js'
import { documentTotal } from '../documents/collections.js'
import { NOW, ofTenant } from '../conditions.js'
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
  const taken = await db
    .updateTable('index_builds')
    .set({ counted_at: NOW })
    .where('id', '=', buildId)
    .where('made_at', 'is not', null)
    .where('lost_at', 'is', null)
    .where(
      sql<boolean>`(counted_at is null or counted_at < now() - ${everyMs} * interval '1 ms' or counted_at > now())`,
    )
    .returning('counted_to as after')
    .executeTakeFirst()
  if (!taken) return null
  const rows = await db
    .selectFrom('tenant_totals')
    .select('tenant_id as tenantId')
    .where('tenant_id', '>', taken.after)
    .orderBy('tenant_id')
    .limit(tenants)
    .execute()
  const next = rows.length < tenants ? '' : rows.at(-1)!.tenantId
  await db.updateTable('index_builds').set({ counted_to: next }).where('id', '=', buildId).execute()
  return rows.map(({ tenantId }) => tenantId)
}

export async function saveCounts({ db }: System, buildId: string, counts: IndexCounts): Promise<void> {
  await db
    .updateTable('index_builds')
    .set({ counts: JSON.stringify(counts) })
    .where('id', '=', buildId)
    .execute()
}

/** Returns the last count, or null when there is none. */
export async function readCounts({ db }: System, buildId: string): Promise<IndexCounts | null> {
  const build = await db.selectFrom('index_builds').select('counts').where('id', '=', buildId).executeTakeFirst()
  return (build?.counts ?? null) as IndexCounts | null
}
