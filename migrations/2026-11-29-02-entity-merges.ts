import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/**
 * Adds what makes several entities names of one thing: the entity that one is merged into, and an id that all names of the thing have. That
 * id is no entity's, so that nothing tells of one that is removed. Both are null for an entity that is the only name of its thing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table entities add column merged_into uuid, add column thing_id uuid',
    'create index entities_thing on entities (tenant_id, thing_id) where thing_id is not null',
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(db, 'drop index entities_thing', 'alter table entities drop column merged_into, drop column thing_id')
}
