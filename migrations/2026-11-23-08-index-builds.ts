import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the search indices that exist and existed: which one serves, how far the backfill of another is
 * (store/indexing/index-builds.md), and the marks and counts that show whether one is whole
 * (store/indexing/index-marks.md).
 */
const TABLES = ['index_builds', 'index_build_tenants'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table index_builds (
      id uuid primary key,
      model text not null check (model <> ''),
      dimensions integer not null check (dimensions > 0),
      generation text not null unique check (generation ~ '^[0-9a-f]{8}$'),
      state text not null check (state in ('waiting', 'backfilling', 'ready', 'serving', 'kept', 'failed', 'dropping', 'dropped')),
      auto_switch boolean not null default true,
      error text,
      created_at timestamptz(3) not null default now(),
      ready_at timestamptz(3),
      switched_at timestamptz(3),
      dropped_at timestamptz(3),
      ticket uuid,
      lease timestamptz,
      made_at timestamptz,
      mark uuid,
      next_mark uuid,
      marked_at timestamptz,
      past_marks uuid[] not null default '{}',
      lost_at timestamptz(3),
      counted_at timestamptz,
      counted_to text not null default '',
      counts jsonb
    )`,
    `create unique index index_builds_serving on index_builds ((true)) where state = 'serving'`,
    `create unique index index_builds_building on index_builds ((true)) where state in ('waiting', 'backfilling', 'ready')`,
    `create unique index index_builds_kept on index_builds ((true)) where state = 'kept'`,
    'create index index_builds_listing on index_builds (created_at, id)',
    'grant select, insert, update, delete on index_builds to cairn_system',
    // A recall reads the marks of the index that it asks together with the pending rows.
    'grant select on index_builds to cairn_app',
    `create table index_build_tenants (
      build_id uuid not null references index_builds on delete cascade,
      corpus text not null default 'memories' check (corpus in ('memories', 'documents')),
      ${TENANT_ID},
      last_id uuid not null default '00000000-0000-0000-0000-000000000000',
      until_id uuid not null,
      rows_done bigint not null default 0,
      rounds smallint not null default 1,
      finished_at timestamptz(3),
      primary key (build_id, corpus, tenant_id)
    )`,
  )
  await secureTenantTables(db, ['index_build_tenants'])
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
