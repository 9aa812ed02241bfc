import pg from 'pg'
import { ConfigError } from '../runtime/errors.js'

const OLDEST = 15

/** Throws ConfigError when the database cannot be reached, refuses this user, or is older than version 15. */
export async function requireDatabase(url: string, timeoutMs: number): Promise<{ readonly version: string }> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string; server_version_num: string }>(
      `select current_setting('server_version') as server_version, current_setting('server_version_num') as server_version_num`,
    )
    const { server_version: version, server_version_num: number } = rows[0]!
    if (Number(number) >= OLDEST * 10_000) return { version }
    throw new ConfigError('DATABASE_URL', `PostgreSQL ${version} is too old; ${OLDEST} or newer is needed.`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError('DATABASE_URL', adviceFor(error))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The driver's messages name hosts, users and databases, never the password. */
function adviceFor(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === '28P01' || code === '28000') return `PostgreSQL refuses the login: ${message}.`
  if (code === '3D000') return `${message}; create it first.`
  const why = message || code || String(error)
  return `PostgreSQL cannot be reached (${why}). Start it, or correct the host and port.`
}
