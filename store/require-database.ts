import type pg from 'pg'
import { ConfigError } from '../runtime/errors.js'
import { withConnection } from './connection.js'
import { STORE_ROLES } from './connection-pool.js'

const MIN_VERSION = 15

interface DatabaseFacts {
  readonly version: string
  /** `standby` while it is in recovery; `read-only` where transactions are so by default. */
  readonly mode: 'writable' | 'standby' | 'read-only'
}

/**
 * Connects to the database once and returns its version and mode. Throws ConfigError when it cannot be reached, refuses
 * this user, or is older than version 15.
 */
export async function requireDatabase(url: string, timeoutMs: number): Promise<DatabaseFacts> {
  return ask({ connectionString: url, connectionTimeoutMillis: timeoutMs }, async (client) => {
    const { rows } = await client.query<{ version: string; number: number; standby: boolean; readOnly: boolean }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        pg_is_in_recovery() as standby, current_setting('transaction_read_only')::bool as "readOnly"`,
    )
    const { version, number, standby, readOnly } = rows[0]!
    if (number < MIN_VERSION * 10_000)
      throw new ConfigError('DATABASE_URL', `PostgreSQL ${version} is too old; ${MIN_VERSION} or newer is needed.`)
    return { version, mode: standby ? 'standby' : readOnly ? 'read-only' : 'writable' }
  })
}

/**
 * Throws ConfigError unless a connection that asks for a role of row level security gets it, for both roles: a
 * connection pooler may silently drop the startup option `role`. The database must be migrated, so that both roles
 * exist.
 */
export async function requireRoles(url: string, timeoutMs: number): Promise<void> {
  for (const role of STORE_ROLES) {
    const options = `-c role=${role}`
    const found = await ask({ connectionString: url, connectionTimeoutMillis: timeoutMs, options }, async (c) => {
      return (await c.query<{ role: string }>('select current_user as role')).rows[0]!.role
    })
    if (found !== role)
      throw new ConfigError(
        'DATABASE_URL',
        `a connection that asks for the role ${role} acts as ${found}: something in between drops the startup parameter ` +
          '`options`, and row level security would not hold. Connect to PostgreSQL itself, or have the pooler pass it on ' +
          '(PgBouncer: session pooling, without `options` in ignore_startup_parameters).',
      )
  }
}

async function ask<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  try {
    return await withConnection(config, work)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError('DATABASE_URL', adviceFor(error))
  }
}

/** Returns advice for a connection error. The driver's messages name hosts, users and databases, never the password. */
function adviceFor(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === '28P01' || code === '28000') return `PostgreSQL refuses the login: ${message}.`
  if (code === '3D000') return `${message}; create it first.`
  if (code === '42501') return `${message}; grant it to this login, or run \`cairn migrate\` with it.`
  const why = message || code || String(error)
  return `PostgreSQL cannot be reached (${why}). Start it, or correct the host and port.`
}
