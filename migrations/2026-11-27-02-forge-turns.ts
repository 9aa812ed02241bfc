import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

const TABLES = ['forge_usage'] as const

/**
 * Lets runs of the Forge take turns: since when a run waits for its next one, the time that it has used, and the skills that it
 * has found and not written yet. Creates what each tenant has used of the language model for the Forge, by day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `alter table forge_runs add column waits_since timestamptz(3), add column spent_ms integer not null default 0,
      add column kept jsonb not null default '{}'`,
    `create table forge_usage (
      ${TENANT_ID},
      day date not null,
      calls integer not null default 0,
      input_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      primary key (tenant_id, day)
    )`,
  )
  await secureTenantTables(db, TABLES)
}

/** Runs that are under way begin again. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
  await run(db, 'alter table forge_runs drop column waits_since, drop column spent_ms, drop column kept')
}
