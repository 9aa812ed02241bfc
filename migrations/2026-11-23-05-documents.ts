import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates documents, and the scalar values of their top-level keys as texts, whose order in the C collation is the order
 * of the values (under row level security JSONB's own operators use no index).
 */
const TABLES = ['documents', 'document_fields'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    // The ids contain the times at which documents were created, to the millisecond: their order is that of created_at.
    `create table documents (
      ${TENANT_ID},
      id uuid not null,
      collection text collate "C" not null check (collection ~ '^[a-z0-9_][a-z0-9._-]{0,99}$'),
      doc_id text collate "C" not null check (char_length(doc_id) between 1 and 200),
      fleet_id text,
      data jsonb not null check (jsonb_typeof(data) = 'object'),
      text_hash bytea not null,
      version integer not null default 1 check (version > 0),
      system_metadata jsonb not null default '{}',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      unique (tenant_id, collection, doc_id)
    )`,
    'create index documents_newest on documents (tenant_id, collection, id)',
    'create index documents_changed on documents (tenant_id, collection, updated_at, id)',
    // Used by a deletion before it removes a text's vectors.
    'create index documents_text on documents (tenant_id, text_hash)',
    `create table document_fields (
      ${TENANT_ID},
      document_id uuid not null,
      key text collate "C" not null,
      collection text collate "C" not null,
      value text collate "C" not null,
      primary key (tenant_id, document_id, key),
      foreign key (tenant_id, document_id) references documents on delete cascade
    )`,
    'create index document_fields_value on document_fields (tenant_id, collection, key, value, document_id)',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
