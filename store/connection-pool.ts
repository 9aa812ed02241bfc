import { once } from 'node:events'
import pg from 'pg'
import { withTimeout } from '../runtime/clock.js'
import { UnavailableError } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import { EndableClient } from './connection.js'

/** Roles that row level security has policies for: one tenant's rows, and all tenants' rows. */
export const STORE_ROLES = ['cairn_app', 'cairn_system'] as const
type StoreRole = (typeof STORE_ROLES)[number]

export interface PoolOptions {
  readonly url: string
  /** Time after which a statement is cancelled; less than the deadline of a request. */
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly logger: Logger
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** The connections of a role. */
export class ConnectionPool extends pg.Pool {
  readonly #open = new Set<pg.PoolClient>()
  readonly #options: PoolOptions

  constructor(options: PoolOptions, role: StoreRole, max: number) {
    super({
      connectionString: options.url,
      application_name: role,
      max,
      Client: EndableClient,
      pipeline: true,
      // A superuser's login would bypass row level security; the role is taken when the connection starts.
      options: `-c role=${role} -c statement_timeout=${options.statementTimeoutMs} -c jit=off -c plan_cache_mode=force_generic_plan`,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      types,
      // Not `verify`: a caller that gives up while it runs is handed the connection all the same, and never gives it back.
      // The pool waits for the promise, which its types do not say.
      onConnect: (client) => verifyRole(client as pg.PoolClient, role, options.connectTimeoutMs) as unknown as void,
    })
    this.#options = options
    this.on('connect', (client) => this.#open.add(client))
    this.on('remove', (client) => this.#open.delete(client))
    this.on('error', (error) =>
      options.logger.warn({ code: (error as { code?: string }).code }, 'idle connection lost'),
    )
  }

  /**
   * Lets work under way end, and resolves once PostgreSQL has closed every connection. `end` alone resolves when PostgreSQL is asked to: one that
   * is shut down then ends connections that are left, which would be reported as lost. Breaks those that are still open after `connectTimeoutMs`,
   * since PostgreSQL may not answer (a disk that hangs holds a commit for as long as it likes) and work may wait for what has stopped before.
   */
  async close(): Promise<void> {
    const { logger, connectTimeoutMs } = this.#options
    const closed = this.end().then(async () => {
      while (this.#open.size > 0) await once(this, 'remove')
    })
    await withTimeout(connectTimeoutMs, closed).catch((err: unknown) => {
      logger.warn({ err, open: this.#open.size, in_use: this.totalCount }, 'connections do not close: breaking them')
      for (const { connection } of this.#open) connection.stream.destroy()
    })
  }
}

/**
 * Throws unless the new connection has its role. A connection pooler may drop the startup option that sets it:
 * statements would then run as the login, to which row level security may not apply.
 */
async function verifyRole(client: pg.PoolClient, role: string, timeoutMs: number): Promise<void> {
  const asked = client.query<{ role: string }>('select current_user as role')
  const { rows } = await withTimeout(timeoutMs, asked).catch((error: unknown) => {
    // The pool would wait for the answer before it ends the connection.
    client.connection.stream.destroy()
    throw error
  })
  if (rows[0]?.role === role) return
  throw new UnavailableError('postgres', new Error(`current_user is not ${role}`), 'wrong_role')
}
