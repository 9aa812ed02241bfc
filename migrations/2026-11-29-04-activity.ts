import type { Kysely } from 'kysely'
import { dropTables, run, runOnAllTenants, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the counters of what happened to memories when (store/memories/activity.ts), fills them with what the rows tell of the past, and keeps the
 * confidence of each recall.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table memory_activity (
      ${TENANT_ID},
      slot timestamptz(0) not null,
      event text not null check (event in ('created', 'superseded', 'deleted', 'recalled')),
      fleet_id text,
      agent_id text,
      visibility text not null,
      memory_type text not null,
      count bigint not null
    )`,
    `create unique index memory_activity_key on memory_activity
      (tenant_id, slot, event, fleet_id, agent_id, visibility, memory_type) nulls not distinct`,
    'create index memory_activity_slot on memory_activity (slot)',
  )
  await secureTenantTables(db, ['memory_activity'])
  await runOnAllTenants(
    db,
    `insert into memory_activity (tenant_id, slot, event, fleet_id, agent_id, visibility, memory_type, count)
    select tenant_id, date_bin('15 minutes', at, 'epoch'), event, fleet_id, agent_id, visibility, memory_type, count(*)
    from (
      select tenant_id, created_at as at, 'created' as event, fleet_id, agent_id, visibility, memory_type from memories
      union all
      select tenant_id, deleted_at, 'deleted', fleet_id, agent_id, visibility, memory_type from memories where deleted_at is not null
      union all
      select m.tenant_id, s.at, 'superseded', m.fleet_id, m.agent_id, m.visibility, m.memory_type
      from (
        select tenant_id, old_id, min(created_at) as at from supersessions where old_status = 'outdated' group by tenant_id, old_id
      ) s join memories m on m.tenant_id = s.tenant_id and m.id = s.old_id
    ) happened group by 1, 2, 3, 4, 5, 6, 7`,
  )
  // Last, since these keep writers waiting until the commit.
  await run(
    db,
    `alter table memory_counter_deltas add column event text, add column slot timestamptz(0),
      add column events bigint not null default 0`,
    'alter table recalls add column confidence text',
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, ['memory_activity'])
  await run(
    db,
    'alter table memory_counter_deltas drop column event, drop column slot, drop column events',
    'alter table recalls drop column confidence',
  )
}
