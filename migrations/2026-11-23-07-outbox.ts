import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/** Creates the pending rows (store/outbox/README.md). */
const TABLES = ['index_pending'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    // It never restarts, and is drawn at every enqueue: the external version of the index's documents.
    'create sequence change_seq',
    'grant usage on sequence change_seq to cairn_app, cairn_system',
    `create table index_pending (
      ${TENANT_ID},
      kind text not null check (kind in ('memory', 'vector', 'enrich', 'document', 'document_vector')),
      entity_id uuid not null,
      seq bigint not null default nextval('change_seq'),
      changed_at timestamptz(3) not null default now(),
      -- To the microsecond: rounded up to the millisecond, a row would not be due yet to a claim that comes at once.
      due_at timestamptz not null default now(),
      attempts smallint not null default 0,
      lease timestamptz(3),
      ticket uuid,
      settled_at timestamptz(3),
      failed_at timestamptz(3),
      error text,
      primary key (tenant_id, kind, entity_id)
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
    `create index index_pending_due on index_pending (kind, tenant_id, due_at)
      where settled_at is null and failed_at is null`,
    'create index index_pending_ticket on index_pending (ticket) where ticket is not null',
    'create index index_pending_settled on index_pending (settled_at) where settled_at is not null',
    'create index index_pending_tail on index_pending (tenant_id, kind, seq) where settled_at is null',
    'create index index_pending_failed on index_pending (tenant_id) where failed_at is not null',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
  await run(db, 'drop sequence change_seq')
}
