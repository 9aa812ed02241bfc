import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/**
 * Adds the form of the text that a memory's `content_hash` is of. Rows that are there, and rows that an earlier version
 * writes, have form 1, in which case and white space do not count; the service writes form 2, and brings the others to it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table memories add column content_hash_form smallint not null default 1',
    'create index memories_former_hash on memories (tenant_id, content_hash) where content_hash_form = 1',
  )
}

/** Leaves the hashes as they are: those of form 2 are of texts that form 1 cannot tell apart. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await run(db, 'drop index memories_former_hash', 'alter table memories drop column content_hash_form')
}
