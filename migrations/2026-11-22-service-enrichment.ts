import { type Kysely, sql } from 'kysely'

/**
 * Adds what enrichment by a language model needs: a kind of pending rows, an origin of links, the number of times that
 * the service filled a row (which callers' versions do not count), whether a caller gave the type, and what each tenant
 * has used of its budget.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector', 'enrich'))`)
  await run(`alter table entity_links drop constraint entity_links_origin_check,
    add constraint entity_links_origin_check check (origin in ('caller', 'found', 'inferred'))`)
  // Nobody knows who chose the type of existing rows: they keep it.
  await run(`alter table memories add column service_fills integer not null default 0,
    add column type_given boolean not null default true`)
  await run(`create table enrichment_usage (
    tenant_id text not null check (tenant_id <> ''),
    day date not null,
    calls integer not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    enriched integer not null default 0,
    failed integer not null default 0,
    primary key (tenant_id, day)
  )`)
  await run('alter table enrichment_usage enable row level security')
  await run('alter table enrichment_usage force row level security')
  await run(`create policy tenant on enrichment_usage to cairn_app
    using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
  await run('create policy system on enrichment_usage to cairn_system using (true) with check (true)')
  await run('grant select, insert, update, delete on enrichment_usage to cairn_app, cairn_system')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('drop table enrichment_usage')
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`delete from entity_links where origin = 'inferred'`)
  await run(`delete from index_pending where kind = 'enrich'`)
  await run('reset role')
  await run('alter table memories drop column service_fills, drop column type_given')
  await run(`alter table entity_links drop constraint entity_links_origin_check,
    add constraint entity_links_origin_check check (origin in ('caller', 'found'))`)
  await run(`alter table index_pending drop constraint index_pending_kind_check,
    add constraint index_pending_kind_check check (kind in ('memory', 'vector'))`)
}
