import { sql } from 'kysely'
import { memoryTotal } from '../tenants/counters.js'
import type { System } from '../store.js'

/** How far a build is, in memories and in tenants; there are as many as there are now. */
export interface BuildProgress {
  readonly tenants: number
  readonly tenantsDone: number
  readonly memories: number
  readonly memoriesDone: number
}

/** Tenants with live memories: the kept totals, and whoever wrote since they were compacted. */
const TENANTS = sql`(
  select tenant_id from tenant_totals where memories > 0
  union select tenant_id from memory_counter_deltas where status <> 'deleted'
)`

export async function readProgress({ db }: System, buildIds: readonly string[]): Promise<Map<string, BuildProgress>> {
  const { rows } = await sql<BuildProgress & { id: string }>`
    with now as (
      select (select count(*) from ${TENANTS} t) as tenants, ${memoryTotal()} as memories
    )
    select given.id, now.tenants, now.memories, count(b.finished_at) as "tenantsDone",
      coalesce(sum(b.filled), 0)::bigint as "memoriesDone"
    from unnest(${buildIds as string[]}::uuid[]) as given(id) cross join now
      left join index_build_tenants b on b.build_id = given.id and b.space = 'memories'
    group by given.id, now.tenants, now.memories`.execute(db)
  return new Map(rows.map(({ id, ...progress }) => [id, progress]))
}

export interface TenantProgress {
  readonly tenantId: string
  readonly state: 'waiting' | 'filling' | 'done'
  readonly memories: number
  readonly memoriesDone: number
}

export interface TenantProgressList {
  readonly tenantId?: string | undefined
  /** tenant_id of the last row of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** By tenant_id. A tenant that came after the build had been filled has nothing to be filled. */
export async function listTenantProgress(
  { db }: System,
  buildId: string,
  { tenantId, after, limit }: TenantProgressList,
): Promise<TenantProgress[]> {
  const { rows } = await sql<TenantProgress>`
    select t.tenant_id as "tenantId",
      case when f.finished_at is not null or b.state not in ('waiting', 'filling', 'failed') then 'done'
        when f.tenant_id is null then 'waiting' else 'filling' end as state,
      ${memoryTotal(sql`t.tenant_id`)} as memories,
      coalesce(f.filled, 0) as "memoriesDone"
    from ${TENANTS} t join index_builds b on b.id = ${buildId}
      left join index_build_tenants f on f.build_id = b.id and f.space = 'memories' and f.tenant_id = t.tenant_id
    where (${tenantId ?? null}::text is null or t.tenant_id = ${tenantId ?? null})
      and (${after ?? null}::text is null or t.tenant_id > ${after ?? null})
    order by t.tenant_id limit ${limit}`.execute(db)
  return rows
}
