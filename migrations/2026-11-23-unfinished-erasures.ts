import { type Kysely, sql } from 'kysely'

/** Adds an index on unfinished erasures: the entity of one is kept while its name is still searched for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index erasures_unfinished on erasures (tenant_id) where hash = ''`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index erasures_unfinished`.execute(db)
}
