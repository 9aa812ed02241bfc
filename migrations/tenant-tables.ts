import { type Kysely, sql } from 'kysely'

/** The column of every tenant's table. After a commit `app.tenant_id` is '' and not null, so an empty id is forbidden. */
export const TENANT_ID = "tenant_id text not null check (tenant_id <> '')"

/** Runs the statements in their order. */
export async function run(db: Kysely<unknown>, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/**
 * Runs statements that read or change rows of tenants, as the role that sees all of them: row level security confines an
 * owner that is no superuser too, whose statements would find no row and say nothing.
 */
export async function runOnAllTenants(db: Kysely<unknown>, ...statements: readonly string[]): Promise<void> {
  await run(db, 'set local role cairn_system', ...statements, 'reset role')
}

/**
 * Forces row level security on tables with a `tenant_id`, for their owner too: `cairn_app` sees the tenant of its
 * transaction (`app.tenant_id`), `cairn_system` (key lookup, claims, sweeps, operators) sees all.
 */
export async function secureTenantTables(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    await run(
      db,
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `create policy tenant on ${table} to cairn_app
        using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`,
      `create policy system on ${table} to cairn_system using (true) with check (true)`,
      `grant select, insert, update, delete on ${table} to cairn_app, cairn_system`,
    )
}

/** Drops the tables, the last one first. */
export async function dropTables(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of [...tables].reverse()) await run(db, `drop table ${table}`)
}
