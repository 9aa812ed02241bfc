import { type Kysely, sql } from 'kysely'

/**
 * Documents; the scalar values of their top-level keys as texts, whose order in the C collation is the order of the
 * values (under row level security JSONB's own operators use no index); and their counts.
 */
const TABLES = ['documents', 'document_fields', 'document_counters', 'document_counter_deltas'] as const

const TENANT_ID = "text not null check (tenant_id <> '')"
const COLLECTION = `text collate "C" not null`

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // The ids contain the times at which documents were created, to the millisecond: their order is that of created_at.
  await run(`create table documents (
    tenant_id ${TENANT_ID},
    id uuid not null,
    collection ${COLLECTION} check (collection ~ '^[a-z0-9_][a-z0-9._-]{0,99}$'),
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
  )`)
  await run('create index documents_newest on documents (tenant_id, collection, id)')
  await run('create index documents_changed on documents (tenant_id, collection, updated_at, id)')
  // Used by a deletion before it removes a text's vectors.
  await run('create index documents_text on documents (tenant_id, text_hash)')

  await run(`create table document_fields (
    tenant_id ${TENANT_ID},
    document_id uuid not null,
    key text collate "C" not null,
    collection ${COLLECTION},
    value text collate "C" not null,
    primary key (tenant_id, document_id, key),
    foreign key (tenant_id, document_id) references documents on delete cascade
  )`)
  await run('create index document_fields_value on document_fields (tenant_id, collection, key, value, document_id)')

  for (const [name, key] of [
    ['document_counters', 'count bigint not null'],
    ['document_counter_deltas', 'id bigint generated always as identity primary key, delta bigint not null'],
  ] as const)
    await run(`create table ${name} (
      tenant_id ${TENANT_ID},
      collection ${COLLECTION},
      fleet_id text,
      changed_at timestamptz(3) not null,
      ${key}
    )`)
  await run(`create unique index document_counters_key on document_counters (tenant_id, collection, fleet_id)
    nulls not distinct`)
  await run('create index document_counter_deltas_tenant on document_counter_deltas (tenant_id)')
  await run('alter table tenant_totals add column documents bigint not null default 0')

  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector', 'enrich', 'document'))`)

  for (const table of TABLES) {
    await run(`alter table ${table} enable row level security`)
    await run(`alter table ${table} force row level security`)
    await run(`create policy tenant on ${table} to cairn_app
      using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
    await run(`create policy system on ${table} to cairn_system using (true) with check (true)`)
    await run(`grant select, insert, update, delete on ${table} to cairn_app, cairn_system`)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  for (const table of [...TABLES].reverse()) await run(`drop table ${table}`)
  await run('alter table tenant_totals drop column documents')
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`delete from index_pending where kind = 'document'`)
  await run('reset role')
  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector', 'enrich'))`)
}
