import { EndableClient } from '../store/connection.js'
import type { QueueSettings } from './context.js'

/** Returns the connection of a queue in PostgreSQL, in a schema of its own: BullMQ makes a pool of `max` connections with it. */
export function postgresConnection({ postgresUrl, prefix }: QueueSettings, max: number, timeoutMs: number) {
  return {
    connectionString: postgresUrl,
    schema: `${prefix.replaceAll('-', '_')}_queue`,
    migrate: true,
    max,
    Client: EndableClient,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
  }
}
