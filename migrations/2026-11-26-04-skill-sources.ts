import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates what an erasure finds the words of skills by: the memories that a skill has words of without citing them, and the skills
 * that left search with an erasure.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table skill_sources (
      ${TENANT_ID},
      memory_id uuid not null,
      skill_id uuid not null,
      primary key (tenant_id, memory_id, skill_id),
      foreign key (tenant_id, skill_id) references skills on delete cascade
    )`,
    'create index skill_sources_skill on skill_sources (tenant_id, skill_id)',
    `alter table erasures add column skill_ids uuid[] not null default '{}'`,
  )
  await secureTenantTables(db, ['skill_sources'])
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(db, 'alter table erasures drop column skill_ids')
  await dropTables(db, ['skill_sources'])
}
