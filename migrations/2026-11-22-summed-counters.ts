import { type Kysely, sql } from 'kysely'

/** Sums of the counters, so that no query has to add up all of a tenant's; and counts of agents. */
const SUMS = {
  memory_counters_by_kind: ['visibility', 'memory_type', 'status'],
  memory_counters_by_fleet: ['fleet_id', 'visibility', 'memory_type', 'status'],
  memory_counters_by_agent: ['agent_id', 'fleet_id', 'visibility', 'status'],
} as const

const TENANT_ID = "tenant_id text not null check (tenant_id <> '')"

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  for (const [table, key] of Object.entries(SUMS)) {
    const columns = key.map((name) => `${name} text${name.endsWith('_id') ? '' : ' not null'}`)
    await run(`create table ${table} (${TENANT_ID}, ${columns.join(', ')}, count bigint not null)`)
    await run(`create unique index ${table}_key on ${table} (tenant_id, ${key.join(', ')}) nulls not distinct`)
  }
  await run('create index memory_counters_agent on memory_counters (tenant_id, agent_id)')
  await run('create index memory_counters_type on memory_counters (tenant_id, memory_type, status)')
  await run(`create table fleet_totals (
    ${TENANT_ID},
    fleet_id text not null,
    agents bigint not null default 0,
    memories bigint not null default 0,
    primary key (tenant_id, fleet_id)
  )`)
  await run(`create table agent_counter_deltas (
    id bigint generated always as identity primary key,
    ${TENANT_ID},
    fleet_id text,
    delta bigint not null
  )`)
  await run('create index agent_counter_deltas_tenant on agent_counter_deltas (tenant_id)')
  await run('alter table tenant_totals add column agents bigint not null default 0')
  for (const table of [...Object.keys(SUMS), 'fleet_totals', 'agent_counter_deltas']) {
    await run(`alter table ${table} enable row level security`)
    await run(`alter table ${table} force row level security`)
    await run(`create policy tenant on ${table} to cairn_app
      using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
    await run(`create policy system on ${table} to cairn_system using (true) with check (true)`)
    await run(`grant select, insert, update, delete on ${table} to cairn_app, cairn_system`)
  }
  await sumUp(run)
}

/** Fills the sums from the existing counters; pending deltas are added when they are compacted. */
async function sumUp(run: (text: string) => Promise<unknown>): Promise<void> {
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  for (const [table, key] of Object.entries(SUMS))
    await run(`insert into ${table} (tenant_id, ${key.join(', ')}, count)
      select tenant_id, ${key.join(', ')}, sum(count) from memory_counters group by tenant_id, ${key.join(', ')}`)
  await run(`insert into fleet_totals (tenant_id, fleet_id, agents, memories)
    select tenant_id, fleet_id, sum(agents), sum(memories) from (
      select tenant_id, fleet_id, 0 as agents, count as memories from memory_counters where status <> 'deleted'
      union all select tenant_id, fleet_id, 1, 0 from agents where deleted_at is null
    ) counted where fleet_id is not null group by tenant_id, fleet_id`)
  await run(`insert into tenant_totals (tenant_id, agents)
    select tenant_id, count(*) from agents where deleted_at is null group by tenant_id
    on conflict (tenant_id) do update set agents = excluded.agents`)
  await run('reset role')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('alter table tenant_totals drop column agents')
  for (const table of ['agent_counter_deltas', 'fleet_totals', ...Object.keys(SUMS)]) await run(`drop table ${table}`)
  await run('drop index memory_counters_agent')
  await run('drop index memory_counters_type')
}
