import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

const TABLES = ['language_counters', 'language_counter_deltas'] as const

/**
 * Adds the language of a memory, and how many memories were written in each. A job looks for the language of the rows that
 * are there, and of those that an earlier version writes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table language_counters (
      ${TENANT_ID},
      language text not null,
      count bigint not null,
      primary key (tenant_id, language)
    )`,
    `create table language_counter_deltas (
      id bigint generated always as identity primary key,
      ${TENANT_ID},
      language text not null,
      delta bigint not null
    )`,
    'create index language_counter_deltas_tenant on language_counter_deltas (tenant_id)',
  )
  await secureTenantTables(db, TABLES)
  await run(
    db,
    'alter table memories add column language text, add column is_language_read boolean not null default false',
    'create index memories_unread_language on memories (tenant_id, id) where not is_language_read',
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'drop index memories_unread_language',
    'alter table memories drop column language, drop column is_language_read',
  )
  await dropTables(db, TABLES)
}
