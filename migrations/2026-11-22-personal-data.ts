import { type Kysely, sql } from 'kysely'

/** What each tenant does with personal data and secrets in writes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `alter table tenants add column pii_policy text not null default 'flag' check (pii_policy in ('flag', 'mask', 'refuse'))`,
    )
    .execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table tenants drop column pii_policy').execute(db)
}
