import { type Kysely, sql } from 'kysely'

/**
 * Keystones, all of their versions, the state of a tenant's set, and who has received which
 * (store/keystones/README.md).
 */
const TENANT_TABLES = ['keystones', 'keystone_versions', 'keystone_sets', 'keystone_acknowledgements'] as const

const TENANT_ID = "text not null check (tenant_id <> '')"

const SHAPE = `
    title text not null,
    content text not null,
    content_hash text not null,
    system_metadata jsonb not null default '{}',
    scope text not null check (scope in ('tenant', 'fleet', 'agent')),
    weight text not null check (weight in ('low', 'med', 'high')),
    fleet_id text,
    agent_id text,
    author_agent_id text,
    check ((scope = 'fleet') = (fleet_id is not null)),
    check ((scope = 'agent') = (agent_id is not null))`

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await run(`create table keystones (
    tenant_id ${TENANT_ID},
    doc_id text not null,
    version integer not null,
    revision bigint not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    ${SHAPE},
    primary key (tenant_id, doc_id)
  )`)
  await run('create index keystones_reach on keystones (tenant_id, scope, fleet_id, agent_id)')
  await run('create index keystones_author on keystones (tenant_id, author_agent_id) where author_agent_id is not null')

  await run(`create table keystone_versions (
    tenant_id ${TENANT_ID},
    doc_id text not null,
    version integer not null,
    change text not null check (change in ('created', 'updated', 'deleted')),
    at timestamptz(3) not null,
    author_kind text not null check (author_kind in ('agent', 'tenant', 'admin', 'service')),
    ${SHAPE},
    primary key (tenant_id, doc_id, version)
  )`)
  await run(`create index keystone_versions_author on keystone_versions (tenant_id, author_agent_id)
    where author_agent_id is not null`)

  await run(`create table keystone_sets (
    tenant_id ${TENANT_ID} primary key,
    revision bigint not null default 0,
    rules integer not null default 0
  ) with (fillfactor = 50)`)

  await run(`create table keystone_acknowledgements (
    tenant_id ${TENANT_ID},
    agent_id text not null,
    run_id text not null,
    etag text not null,
    acknowledged_at timestamptz(3) not null,
    seq bigint not null default nextval('change_seq'),
    primary key (tenant_id, agent_id, run_id)
  )`)
  await run('create index keystone_acknowledgements_latest on keystone_acknowledgements (tenant_id, agent_id, seq)')
  await run('create index keystone_acknowledgements_age on keystone_acknowledgements (acknowledged_at)')

  for (const table of TENANT_TABLES) {
    await run(`alter table ${table} enable row level security`)
    await run(`alter table ${table} force row level security`)
    await run(`create policy tenant on ${table} to cairn_app
      using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
    await run(`create policy system on ${table} to cairn_system using (true) with check (true)`)
    await run(`grant select, insert, update, delete on ${table} to cairn_app, cairn_system`)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of TENANT_TABLES) await sql.raw(`drop table ${table}`).execute(db)
}
