import { sql } from 'kysely'
import { documentTotal } from '../documents/collections.js'
import { memoryTotal } from '../tenants/counters.js'
import type { Keyset } from '../keyset.js'
import type { System } from '../store.js'
import type { IndexBuild } from './index-builds.js'

/** Number of rows that exist, and of those that the backfill has written. */
interface RowProgress {
  readonly memories: number
  readonly memoriesDone: number
  readonly documents: number
  readonly documentsDone: number
}

export interface BuildProgress extends RowProgress {
  readonly tenants: number
  /** Tenants with some rows done; documents come after all memories. */
  readonly tenantsDone: number
}

/** Tenants with live memories or documents: from the totals, and from the deltas written since their last compaction. */
const TENANTS_WITH_ROWS = sql`(
  select tenant_id from tenant_totals where memories > 0 or documents > 0
  union select tenant_id from memory_counter_deltas where status <> 'deleted' and delta <> 0
  union select tenant_id from document_counter_deltas
)`

/**
 * Reads the progress of these builds. A completed backfill is reported as of its end: rows that came later were indexed
 * by jobs, and rows that were written twice count once.
 */
export async function readProgress(
  { db }: System,
  builds: readonly Pick<IndexBuild, 'id' | 'readyAt'>[],
): Promise<Map<string, BuildProgress>> {
  const ids = builds.map(({ id }) => id)
  const { rows } = await sql<BuildProgress & { id: string }>`
    with now as (
      select (select count(*) from ${TENANTS_WITH_ROWS} t) as tenants, ${memoryTotal()} as memories, ${documentTotal()} as documents
    )
    select given.id, now.*,
      count(distinct b.tenant_id) filter (where b.finished_at is not null) as "tenantsDone",
      coalesce(sum(b.rows_done) filter (where b.corpus = 'memories'), 0)::bigint as "memoriesDone",
      coalesce(sum(b.rows_done) filter (where b.corpus = 'documents'), 0)::bigint as "documentsDone"
    from unnest(${ids}::uuid[]) as given(id) cross join now
      left join index_build_tenants b on b.build_id = given.id
    group by given.id, now.tenants, now.memories, now.documents`.execute(db)
  const completed = new Set(builds.filter(({ readyAt }) => readyAt !== null).map(({ id }) => id))
  return new Map(rows.map(({ id, ...progress }) => [id, completed.has(id) ? asCompleted(progress) : progress]))
}

function asCompleted(progress: BuildProgress): BuildProgress {
  const { tenantsDone, memoriesDone, documentsDone } = progress
  return { ...progress, tenants: tenantsDone, memories: memoriesDone, documents: documentsDone }
}

interface TenantProgress extends RowProgress {
  readonly tenantId: string
  readonly state: 'waiting' | 'backfilling' | 'done'
}

interface TenantProgressList extends Keyset<string> {
  readonly tenantId?: string | undefined
}

/** Lists the progress by tenant_id. Once the build is filled every tenant is done, including those that came later. */
export async function listTenantProgress(
  { db }: System,
  buildId: string,
  { tenantId, after, limit }: TenantProgressList,
): Promise<TenantProgress[]> {
  const { rows } = await sql<TenantProgress>`
    select t.tenant_id as "tenantId",
      case when b.state not in ('waiting', 'backfilling', 'failed') then 'done'
        when f.places = 0 then 'waiting'
        when f.open = 0 and (f.of_documents > 0 or c.documents = 0) then 'done' else 'backfilling' end as state,
      c.memories, c.documents,
      case when b.ready_at is null then f."memoriesDone" else c.memories end as "memoriesDone",
      case when b.ready_at is null then f."documentsDone" else c.documents end as "documentsDone"
    from ${TENANTS_WITH_ROWS} t join index_builds b on b.id = ${buildId}
      cross join lateral (
        select ${memoryTotal(sql`t.tenant_id`)} as memories, ${documentTotal(sql`t.tenant_id`)} as documents
      ) c
      cross join lateral (
        select count(*) as places, count(*) filter (where p.finished_at is null) as open,
          count(*) filter (where p.corpus = 'documents') as of_documents,
          coalesce(sum(p.rows_done) filter (where p.corpus = 'memories'), 0)::bigint as "memoriesDone",
          coalesce(sum(p.rows_done) filter (where p.corpus = 'documents'), 0)::bigint as "documentsDone"
        from index_build_tenants p where p.build_id = b.id and p.tenant_id = t.tenant_id
      ) f
    where (${tenantId ?? null}::text is null or t.tenant_id = ${tenantId ?? null})
      and (${after ?? null}::text is null or t.tenant_id > ${after ?? null})
    order by t.tenant_id limit ${limit}`.execute(db)
  return rows
}
