import { type Kysely, sql } from 'kysely'

/**
 * Tables of near duplicates, apart from the memories: flagging one changes no row that callers read and write. Each row
 * holds only for the two texts that were compared.
 */
const TABLES = ['near_keys', 'near_duplicates'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create table near_keys (
    tenant_id text not null check (tenant_id <> ''),
    memory_id uuid not null,
    key bigint not null,
    primary key (tenant_id, memory_id, key),
    foreign key (tenant_id, memory_id) references memories on delete cascade
  )`)
  await run('create index near_keys_key on near_keys (tenant_id, key, memory_id)')
  await run(`create table near_duplicates (
    tenant_id text not null check (tenant_id <> ''),
    memory_id uuid not null,
    memory_hash bytea not null,
    original_id uuid not null,
    original_hash bytea not null,
    primary key (tenant_id, memory_id),
    foreign key (tenant_id, memory_id) references memories on delete cascade,
    foreign key (tenant_id, original_id) references memories on delete cascade
  )`)
  await run('create index near_duplicates_original on near_duplicates (tenant_id, original_id)')
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
  for (const table of TABLES) await sql.raw(`drop table ${table}`).execute(db)
}
