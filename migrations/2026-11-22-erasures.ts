import { type Kysely, sql } from 'kysely'

/** Records what was erased, by ids alone: enough to search for it again, and nothing of what it said. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create table erasures (
    id uuid primary key,
    tenant_id text not null check (tenant_id <> ''),
    at timestamptz(3) not null,
    selector jsonb not null,
    memory_ids uuid[] not null,
    text_hashes bytea[] not null,
    receipt jsonb not null,
    hash text not null
  )`)
  await run('alter table erasures enable row level security')
  await run('alter table erasures force row level security')
  await run(`create policy tenant on erasures to cairn_app
    using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
  await run('create policy system on erasures to cairn_system using (true) with check (true)')
  await run('grant select, insert, update, delete on erasures to cairn_app, cairn_system')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table erasures`.execute(db)
}
