import type { Kysely } from 'kysely'
import { dropTables, run } from './tenant-tables.js'

/** Creates the roles of row level security, and what belongs to the service and to no tenant. */
const TABLES = ['service_secrets', 'service_counters'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  // Roles belong to the cluster, not to the database: another database's migration may create them at the same moment.
  for (const role of ['cairn_app', 'cairn_system'])
    await run(
      db,
      `do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
      exception when duplicate_object or unique_violation then null; end $$`,
      `grant ${role} to current_user`,
    )
  await run(
    db,
    `do $$ begin execute format('grant usage on schema %I to cairn_app, cairn_system', current_schema()); end $$`,
    // The readiness probe reads which migrations are applied.
    'grant select on kysely_migration to cairn_system',
    `create table service_secrets (
      name text primary key,
      value bytea not null
    )`,
    'grant select on service_secrets to cairn_system',
    // A UUID has 122 random bits: two of them make a key of the strength that HMAC-SHA-256 wants.
    `insert into service_secrets
      values ('cursor', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))`,
    `create table service_counters (
      name text primary key,
      value bigint not null default 0
    )`,
    'grant select, insert, update, delete on service_counters to cairn_system',
  )
}

/** Leaves the roles, which other databases of the cluster use. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
