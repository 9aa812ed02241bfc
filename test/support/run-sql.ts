import type pg from 'pg'
import { withConnection } from '../../store/connection.js'

/**
 * Runs a statement as the URL's login, in tests a superuser whom row level security does not confine, and returns its
 * rows. Without values it may be several statements.
 */
export async function runSql<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  return withConnection(url, async (client) => (await client.query<Row>(statement, values && [...values])).rows)
}
