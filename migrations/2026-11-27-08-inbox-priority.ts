import type { Kysely } from 'kysely'
import { dropTables, run, runOnAllTenants, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates what the inbox is ordered by: the record of each author, and with a version since when it waits, its author's record as
 * it was ranked, the credential that wrote it, and for how long it stands behind the author's others. What waits already keeps its place.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
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
  // Last, since it locks out whoever reads skills until the migration ends.
  await run(
    db,
    `alter table skill_versions
      add column waiting_since timestamptz(3),
      add column behind_hours integer,
      add column ranked_approved integer,
      add column ranked_rejected integer,
      add column ranked_quarantined integer,
      add column author_key_id text`,
    `create index skill_versions_author_key on skill_versions (tenant_id, author_key_id, place)
      where status = 'staged' and source <> 'forge' and not is_deferred and author_key_id is not null`,
  )
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

/** Each version counts once, by the last move that decided about it. */
const COUNT_DECISIONS = `
  insert into skill_authors (tenant_id, is_forge, agent_id, approved, rejected, quarantined)
  select v.tenant_id, v.source = 'forge', case when v.source = 'forge' then '' else coalesce(v.author_agent_id, '') end,
    count(*) filter (where m.to_status = 'active'), count(*) filter (where m.to_status = 'rejected'),
    count(*) filter (where m.to_status = 'quarantined')
  from (
    select distinct on (tenant_id, skill_id, version) tenant_id, skill_id, version, from_status, to_status, actor_kind
    from skill_moves where to_status not in ('deprecated', 'stale') and from_status is distinct from to_status
      and (from_status is distinct from 'active' or to_status <> 'rejected')
    order by tenant_id, skill_id, version, id desc
  ) m join skill_versions v on v.tenant_id = m.tenant_id and v.skill_id = m.skill_id and v.version = m.version
  where m.to_status in ('rejected', 'quarantined')
    or (m.from_status = 'staged' and m.to_status = 'active' and m.actor_kind <> 'service')
  group by 1, 2, 3`
