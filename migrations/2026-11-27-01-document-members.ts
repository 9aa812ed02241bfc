import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the members of documents' lists, beside `document_fields`, where each key has one value and an order. Documents that are there, and those that an
 * earlier version creates, have none (`members_stored` is null); the service gives them theirs. A change by an earlier version leaves a
 * document's members as they are: 2026-11-27-04 removes them.
 */
const TABLES = ['document_members'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table documents add column members_stored boolean',
    'create index documents_unstored_members on documents (tenant_id, collection, id) where members_stored is not true',
    'create index documents_without_members on documents (tenant_id, id) where members_stored is null',
    `create table document_members (
      ${TENANT_ID},
      document_id uuid not null,
      key text collate "C" not null,
      collection text collate "C" not null,
      value text collate "C" not null,
      primary key (tenant_id, document_id, key, value),
      foreign key (tenant_id, document_id) references documents on delete cascade
    )`,
    'create index document_members_value on document_members (tenant_id, collection, key, value, document_id)',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
  await run(db, 'alter table documents drop column members_stored')
}
