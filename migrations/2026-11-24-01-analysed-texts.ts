import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the analysed texts of memories: what ranking reads of each, with its vector by one model. They are of the
 * memory's version that they name, and go with the memory.
 */
const TABLES = ['analysed_texts'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table analysed_texts (
      ${TENANT_ID},
      memory_id uuid not null,
      model text not null,
      version integer not null,
      bytes bytea not null,
      primary key (tenant_id, memory_id, model),
      foreign key (tenant_id, memory_id) references memories on delete cascade
    ) with (fillfactor = 90)`,
    // A quantised vector is half of the bytes, and does not compress.
    'alter table analysed_texts alter column bytes set storage external',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
