import { type Kysely, sql } from 'kysely'

/**
 * Creates the tenants' settings: at most a row for each, with what differs from the defaults. The policy on personal
 * data is one of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create table tenant_settings (
    tenant_id text not null check (tenant_id <> '') primary key references tenants on delete cascade,
    settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
    version integer not null default 1,
    updated_at timestamptz(3) not null default now()
  )`)
  await run('alter table tenant_settings enable row level security')
  await run('alter table tenant_settings force row level security')
  await run(`create policy tenant on tenant_settings to cairn_app
    using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
  await run('create policy system on tenant_settings to cairn_system using (true) with check (true)')
  await run('grant select, insert, update, delete on tenant_settings to cairn_app, cairn_system')
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`insert into tenant_settings (tenant_id, settings)
    select tenant_id, jsonb_build_object('memory', jsonb_build_object('pii_policy', pii_policy))
    from tenants where pii_policy <> 'flag'`)
  await run('reset role')
  await run('alter table tenants drop column pii_policy')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(
    `alter table tenants add column pii_policy text not null default 'flag' check (pii_policy in ('flag', 'mask', 'refuse'))`,
  )
  await run('set local role cairn_system')
  await run(`update tenants t set pii_policy = s.settings #>> '{memory,pii_policy}' from tenant_settings s
    where s.tenant_id = t.tenant_id and s.settings #> '{memory,pii_policy}' is not null`)
  await run('reset role')
  await run('drop table tenant_settings')
}
