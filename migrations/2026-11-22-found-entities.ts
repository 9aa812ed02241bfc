import { type Kysely, sql } from 'kysely'

/**
 * Adds the origin of links: those that the service found in a memory's text, beside those that callers gave. The origin
 * is part of the key, so that neither conflicts with the other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `alter table entity_links add column origin text not null default 'caller' check (origin in ('caller', 'found')),
        drop constraint entity_links_pkey, add primary key (tenant_id, memory_id, entity_id, role, origin)`,
    )
    .execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  // The owner of the tables may not see their rows.
  await sql.raw('set local role cairn_system').execute(db)
  await sql.raw(`delete from entity_links where origin = 'found'`).execute(db)
  await sql.raw('reset role').execute(db)
  await sql
    .raw(
      `alter table entity_links drop constraint entity_links_pkey, drop column origin,
        add primary key (tenant_id, memory_id, entity_id, role)`,
    )
    .execute(db)
}
