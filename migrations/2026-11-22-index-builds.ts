import { type Kysely, sql } from 'kysely'

/**
 * Creates the search indices that exist and existed: which one serves, and how far the backfill of another is
 * (store/indexing/index-builds.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await run(`create table index_builds (
    id uuid primary key,
    model text not null check (model <> ''),
    dimensions integer not null check (dimensions > 0),
    generation text not null unique check (generation ~ '^([0-9a-f]{8})?$'),
    state text not null check (state in ('waiting', 'filling', 'ready', 'serving', 'kept', 'failed', 'dropping', 'dropped')),
    auto_switch boolean not null default true,
    error text,
    created_at timestamptz(3) not null default now(),
    ready_at timestamptz(3),
    switched_at timestamptz(3),
    dropped_at timestamptz(3),
    ticket uuid,
    lease timestamptz
  )`)
  await run(`create unique index index_builds_serving on index_builds ((true)) where state = 'serving'`)
  await run(
    `create unique index index_builds_building on index_builds ((true)) where state in ('waiting', 'filling', 'ready')`,
  )
  await run(`create unique index index_builds_kept on index_builds ((true)) where state = 'kept'`)
  await run('create index index_builds_listing on index_builds (created_at, id)')

  await run(`create table index_build_tenants (
    build_id uuid not null references index_builds on delete cascade,
    tenant_id text not null check (tenant_id <> ''),
    last_id uuid not null default '00000000-0000-0000-0000-000000000000',
    until_id uuid not null,
    filled bigint not null default 0,
    rounds smallint not null default 1,
    finished_at timestamptz(3),
    primary key (build_id, tenant_id)
  )`)
  await run('alter table index_build_tenants enable row level security')
  await run('alter table index_build_tenants force row level security')
  await run(`create policy tenant on index_build_tenants to cairn_app
    using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
  await run('create policy system on index_build_tenants to cairn_system using (true) with check (true)')
  await run('grant select, insert, update, delete on index_build_tenants to cairn_app, cairn_system')
  await run('grant select, insert, update, delete on index_builds to cairn_system')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['index_build_tenants', 'index_builds'])
    await sql.raw(`drop table if exists ${table}`).execute(db)
}
