import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/** Adds to a near duplicate whether its author stored what a recall had returned to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(db, 'alter table near_duplicates add column is_echo boolean not null default false')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(db, 'alter table near_duplicates drop column is_echo')
}
