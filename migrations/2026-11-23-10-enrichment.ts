import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/** Creates what each tenant has used of its budget for the language model, by day. */
const TABLES = ['enrichment_usage'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table enrichment_usage (
      ${TENANT_ID},
      day date not null,
      calls integer not null default 0,
      input_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      enriched integer not null default 0,
      failed integer not null default 0,
      primary key (tenant_id, day)
    )`,
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
