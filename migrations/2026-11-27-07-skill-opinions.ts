import type { Kysely } from 'kysely'
import { run, runOnAllTenants } from './tenant-tables.js'

const KINDS = ['memory', 'vector', 'enrich', 'document', 'document_vector', 'scan']

/** Admits rows of kind `opinion` in `index_pending`: skills of which a language model is to say what it thinks of the flagged words. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await admit(db, [...KINDS, 'opinion'])
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, "delete from index_pending where kind = 'opinion'")
  await admit(db, KINDS)
}

async function admit(db: Kysely<unknown>, kinds: readonly string[]): Promise<void> {
  await run(
    db,
    'alter table index_pending drop constraint index_pending_kind_check',
    `alter table index_pending add constraint index_pending_kind_check
      check (kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}))`,
  )
}
