import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the files of skills: what stands beside SKILL.md in the folder of each version, and once for each skill the bytes. A
 * version keeps the front matter that it was imported with, and a digest of all of its folder.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table skill_versions add column front_matter text, add column folder_hash text',
    `create table skill_blobs (
      ${TENANT_ID},
      skill_id uuid not null,
      hash text not null,
      bytes bytea not null,
      primary key (tenant_id, skill_id, hash),
      foreign key (tenant_id, skill_id) references skills on delete cascade
    )`,
    `create table skill_files (
      ${TENANT_ID},
      skill_id uuid not null,
      version integer not null,
      path text collate "C" not null,
      hash text not null,
      size integer not null,
      is_executable boolean not null,
      primary key (tenant_id, skill_id, version, path),
      foreign key (tenant_id, skill_id, version) references skill_versions on delete cascade
    )`,
  )
  await secureTenantTables(db, ['skill_blobs', 'skill_files'])
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, ['skill_blobs', 'skill_files'])
  await run(db, 'alter table skill_versions drop column front_matter, drop column folder_hash')
}
