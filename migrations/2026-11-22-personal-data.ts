import { type Kysely, sql } from 'kysely'

/** Adds each tenant's policy on personal data and secrets in writes. */
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
