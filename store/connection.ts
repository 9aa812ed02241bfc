import pg from 'pg'

/** Calls `work` with a connection outside of the store's pools, which acts as the login itself, and closes it. */
export async function withConnection<T>(
  config: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config)
  // Without a listener the error of an idle connection, such as one that the server closed, would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
