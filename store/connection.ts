import type pg from 'pg'
import { EndableClient } from './endable-client.js'

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
