import pg from 'pg'

/** Calls `work` with a connection of the URL's login, in tests a superuser, whom row level security does not confine. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs a statement on a connection of its own and returns its rows. Without values, it may be several statements. */
export async function runSql<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  return withConnection(url, async (client) => (await client.query<Row>(statement, values && [...values])).rows)
}
