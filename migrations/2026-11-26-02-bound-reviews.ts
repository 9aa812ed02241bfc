import type { Kysely } from 'kysely'
import { run, runOnAllTenants } from './tenant-tables.js'

/**
 * Keeps with each move of a skill what its version said, so that a review is bound to all that was read, and with what was
 * rejected its author and what it added. Of older moves nothing is known; older rejections count as wholly their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table skill_moves add column content_hash text, add column texts_hash text',
    `alter table skill_poison
      add column source text not null default 'agent' check (source in ('agent', 'manual', 'forge', 'imported')),
      add column author_agent_id text,
      add column extent text not null default 'whole' check (extent in ('whole', 'addition', 'copy')),
      add column added jsonb not null default '[]'`,
  )
  await runOnAllTenants(db, `update skill_poison set source = 'forge' where starts_with(doc_id, 'forge/')`)
  await run(
    db,
    'alter table skill_poison alter column source drop default, alter column extent drop default, alter column added drop default',
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table skill_poison drop column source, drop column author_agent_id, drop column extent, drop column added',
    'alter table skill_moves drop column content_hash, drop column texts_hash',
  )
}
