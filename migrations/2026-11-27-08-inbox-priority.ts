import type { Kysely } from 'kysely'
import { dropTables, run, runOnAllTenants, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates what the inbox is ordered by: the record of each author, and with a version since when it waits, its author's record as
 * it was ranked, the credential that wrote it, and for how long it stands behind the author's others. What waits already keeps its place.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `alter table skill_versions
      add column waiting_since timestamptz(3),
      add column behind_hours integer,
      add column ranked_approved integer,
      add column ranked_rejected integer,
      add column ranked_quarantined integer,
      add column author_key_id text`,
    `create index skill_versions_author_key on skill_versions (tenant_id, author_key_id)
      where status = 'staged' and author_key_id is not null`,
    `create table skill_authors (
      ${TENANT_ID},
      is_forge boolean not null,
      agent_id text not null,
      approved integer not null,
      rejected integer not null,
      quarantined integer not null,
      primary key (tenant_id, is_forge, agent_id)
    )`,
  )
  await secureTenantTables(db, ['skill_authors'])
  await runOnAllTenants(db, COUNT_DECISIONS)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, ['skill_authors'])
  await run(
    db,
    `alter table skill_versions
      drop column waiting_since,
      drop column behind_hours,
      drop column ranked_approved,
      drop column ranked_rejected,
      drop column ranked_quarantined,
      drop column author_key_id`,
  )
}

const COUNT_DECISIONS = `
  insert into skill_authors (tenant_id, is_forge, agent_id, approved, rejected, quarantined)
  select * from (
    select v.tenant_id, v.source = 'forge' as is_forge,
      case when v.source = 'forge' then '' else coalesce(v.author_agent_id, '') end as agent_id,
      (count(*) filter (where m.from_status = 'staged' and m.to_status = 'active' and m.actor_kind <> 'service'))::integer as approved,
      (count(*) filter (where m.from_status in ('staged', 'quarantined') and m.to_status = 'rejected'))::integer as rejected,
      greatest(0, count(*) filter (where m.from_status <> 'quarantined' and m.to_status = 'quarantined')
        - count(*) filter (where m.from_status = 'quarantined' and m.to_status in ('staged', 'rejected')))::integer as quarantined
    from skill_moves m
      join skill_versions v on v.tenant_id = m.tenant_id and v.skill_id = m.skill_id and v.version = m.version
    group by 1, 2, 3
  ) record where approved + rejected + quarantined > 0`
