import pg from 'pg'

/** Calls `work` with a connection outside of the store's pools, which acts as the login itself, and closes it. */
export async function withConnection<T>(
  config: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new EndableClient(config)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * A connection that PostgreSQL may end at any moment. A pool listens to the errors of its idle ones alone, and an error
 * without a listener ends the process; here the statements fail that are under way, and the next ones.
 */
export class EndableClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.on('error', () => undefined)
  }
}
