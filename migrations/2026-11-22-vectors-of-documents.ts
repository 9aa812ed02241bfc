import { type Kysely, sql } from 'kysely'

/** Adds pending rows for vectors of documents, and the progress of a second index by corpus. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector', 'enrich', 'document', 'document_vector'))`)
  await run(`alter table index_build_tenants
    add column space text not null default 'memories' check (space in ('memories', 'documents')),
    drop constraint index_build_tenants_pkey,
    add primary key (build_id, space, tenant_id)`)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`delete from index_pending where kind = 'document_vector'`)
  await run(`delete from index_build_tenants where space = 'documents'`)
  await run('reset role')
  await run(`alter table index_build_tenants drop constraint index_build_tenants_pkey, drop column space,
    add primary key (build_id, tenant_id)`)
  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector', 'enrich', 'document'))`)
}
