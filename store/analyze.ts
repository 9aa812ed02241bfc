import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { withConnection } from './connection.js'
import type { Database } from './schema.js'

/** Is true of a table `c` of pg_class that the login may vacuum and analyse: of one that it may not, PostgreSQL warns and does nothing. */
export const IS_MAINTAINABLE = `(pg_has_role(session_user, c.relowner, 'usage') or case
  when current_setting('server_version_num')::int >= 170000 then has_table_privilege(session_user, c.oid, 'maintain') else false end)`

/** Changed rows from which a table without statistics is worth analysing. */
const CHANGED_ROWS = 500

/**
 * Returns the tables that have grown and that PostgreSQL has never analysed, as long as the login may have them analysed. Autovacuum
 * looks once a minute. Until then the planner takes a tenant for a two hundredth of a table, and reads all of its rows for each foreign
 * key that it checks: a first import would become slower with every row.
 */
export async function findUnanalysedTables({ db }: { readonly db: Kysely<Database> }): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.last_analyze is null and s.last_autoanalyze is null
      and s.n_mod_since_analyze >= ${CHANGED_ROWS} and ${sql.raw(IS_MAINTAINABLE)}
    order by s.relname`.execute(db)
  return rows.map(({ name }) => name)
}

/** Analyses the tables on a connection of its own as the login itself: the service's roles do not own them. Leaves out one that is locked. */
export async function analyzeTables(url: string, tables: readonly string[]): Promise<void> {
  const config = { connectionString: url, application_name: 'cairn_analyze', connectionTimeoutMillis: 5_000 }
  await withConnection(config, async (client) => {
    for (const name of tables) await client.query(`analyze (skip_locked) ${pg.escapeIdentifier(name)}`)
  })
}
