import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { UnavailableError } from '../runtime/errors.js'
import type { OutageReason } from '../runtime/outage-reasons.js'
import { isReadOnly, requireDiskSpace } from './accepts-writes.js'
import { ConnectionPool, type PoolOptions } from './connection-pool.js'
import { analyzeTables } from './analyze.js'
import { vacuum, type VacuumOptions } from './vacuum.js'
import { isTransient, translate, translateConnecting } from './outages.js'
import { PreparedStatements } from './prepared-statements.js'
import { RoundTrips } from './round-trips.js'
import type { Database } from './schema.js'

/** Reads inside one tenant's transaction. Queries are functions that take it as their first argument. */
export interface Reader {
  readonly tenantId: string
  readonly db: Kysely<Database>
}

/** Runs work in a read transaction of one tenant. */
export type ReadTransaction = <T>(work: (reader: Reader) => Promise<T>) => Promise<T>

/** Author of a change, for the audit: a credential, acting for an agent or not, or the service itself. */
export interface Actor {
  readonly kind: 'agent' | 'tenant' | 'admin' | 'service'
  readonly agentId: string | null
  readonly keyId: string | null
}

/** Writes and reads inside one tenant's transaction. */
export interface Writer extends Reader {
  readonly writes: true
  readonly actor: Actor
}

/** Sees every tenant: key lookup, claims, sweeps, counters and operators' lists. Its queries stand in files that say so. */
export interface System {
  readonly db: Kysely<Database>
  readonly system: true
}

interface StoreOptions extends PoolOptions {
  /** Connections for callers' work, and for the system's own. */
  readonly poolSize: number
  readonly systemPoolSize: number
  /** Runs for each transaction that failed because the database is unavailable or takes no writes. */
  readonly onOutage?: (reason: OutageReason) => void
}

/** Gives every statement of a read the same snapshot. */
const READ_ONLY = 'begin isolation level repeatable read read only'

/** A principal, or a tenant that the service itself works on. */
export type TenantBinding = { readonly tenantId: string } & (Actor | { readonly kind?: undefined })

const SERVICE_ACTOR: Actor = { kind: 'service', agentId: null, keyId: null }

function actorOf(bound: TenantBinding): Actor {
  return bound.kind === undefined ? SERVICE_ACTOR : { kind: bound.kind, agentId: bound.agentId, keyId: bound.keyId }
}

/**
 * PostgreSQL, the system of record. A tenant is bound once, here; row level security confines every statement to it.
 * All methods throw `UnavailableError('postgres')` when the database is unavailable.
 *
 * What each method sends, and the round trips that its caller waits for; `|` stands between two writes to the socket:
 *
 *     readAtOnce   begin; bind; statements; commit | ◀ answers                                          1
 *     read         begin; bind; first statements | ◀ answers | others | ◀ answers | commit              1 for each group of statements
 *     transact     begin; bind; first statements | ◀ answers | others | ◀ answers | commit | ◀ done     the same and 1
 *
 * 1. `begin` is not awaited. The first statements go with it, and fail with it.
 * 2. The socket is corked until the next tick, so that everything until then leaves in one write.
 * 3. Statements that do not wait for one another's answers are pipelined: a group is one round trip. `Transaction` counts these.
 * 4. A read's `commit` is not awaited, since nothing depends on it. The connection returns to the pool once it is answered.
 */
export class Store {
  readonly #app: ConnectionPool
  readonly #system: ConnectionPool
  readonly #prepared = new PreparedStatements()
  readonly #roundTrips = new RoundTrips()
  /** True since a write met a full disk, until `writeFault` finds space. */
  #isDiskFull = false

  constructor(private readonly options: StoreOptions) {
    this.#app = new ConnectionPool(options, 'cairn_app', options.poolSize)
    this.#system = new ConnectionPool(options, 'cairn_system', options.systemPoolSize)
  }

  /** Runs one consistent read-only transaction of a tenant. */
  async read<T>(bound: TenantBinding, work: (reader: Reader) => Promise<T>): Promise<T> {
    const begin = `${READ_ONLY}; ${bindTenant(bound.tenantId)}`
    return this.#run(this.#app, begin, (db) => work({ tenantId: bound.tenantId, db }), this.#counterOf(bound))
  }

  /**
   * Runs a consistent read-only transaction whose statements depend on nothing that it reads: `begin`, all of them and
   * `commit` are sent in one write, in one round trip. A statement that `work` issues later is refused.
   */
  async readAtOnce<T>(bound: TenantBinding, work: (reader: Reader) => Promise<T>): Promise<T> {
    const { tenantId } = bound
    const begin = `${READ_ONLY}; ${bindTenant(tenantId)}`
    return this.#withClient(this.#app, async (client) => {
      const transaction = new Transaction(client, this.#prepared, this.#counterOf(bound))
      client.connection.stream.cork()
      const begun = this.#begin(transaction, begin)
      process.nextTick(() => {
        transaction.end()
        void finish(client, 'commit')
        client.connection.stream.uncork()
      })
      try {
        const result = await work({ tenantId, db: transaction.kysely })
        await begun
        return result
      } catch (error) {
        throw transaction.causeOf(error)
      }
    })
  }

  /**
   * Runs one transaction of a tenant; repeats it up to three times when PostgreSQL breaks a deadlock, so `work` must be
   * repeatable. With `countsMemories` it takes the tenant's quota lock in shared mode: whoever sets a limit takes it
   * exclusively and so counts while no write is in progress. It is taken before the first statement's snapshot.
   */
  async transact<T>(
    bound: TenantBinding,
    work: (writer: Writer) => Promise<T>,
    options: { countsMemories?: boolean } = {},
  ): Promise<T> {
    const begin = `begin; ${bindTenant(bound.tenantId)}${options.countsMemories ? `; ${shareQuotaLock(bound.tenantId)}` : ''}`
    const { tenantId } = bound
    const actor = actorOf(bound)
    const writing = (db: Kysely<Database>) => work({ tenantId, db, writes: true, actor })
    return this.#retry(() => this.#run(this.#app, begin, writing, this.#counterOf(bound)))
  }

  /** Runs one transaction over all tenants. */
  async asSystem<T>(work: (system: System) => Promise<T>): Promise<T> {
    return this.#retry(() => this.#run(this.#system, 'begin', (db) => work({ db, system: true })))
  }

  /**
   * Returns null while PostgreSQL takes writes, else why it does not. Throws `UnavailableError` while it is
   * unavailable.
   */
  async writeFault(): Promise<'read_only' | 'disk_full' | null> {
    try {
      return await this.asSystem(async (system) => {
        if (await isReadOnly(system.db)) return 'read_only'
        if (this.#isDiskFull) await requireDiskSpace(system.db)
        this.#isDiskFull = false
        return null
      })
    } catch (error) {
      if (error instanceof UnavailableError && error.reason === 'disk_full') return 'disk_full'
      throw error
    }
  }

  /** Removes dead rows of these tables, outside of any transaction; returns the tables that it did (`erasure/vacuum.ts`). */
  async vacuum(tables: readonly string[], options: VacuumOptions): Promise<string[]> {
    return vacuum(this.options.url, tables, options)
  }

  /** Has PostgreSQL collect statistics of these tables for its planner (`analyze.ts`). */
  async analyze(tables: readonly string[]): Promise<void> {
    await analyzeTables(this.options.url, tables)
  }

  /** Returns the connections in use and the callers waiting for one, for the metrics. */
  poolUse(): Record<'app' | 'system', { total: number; idle: number; waiting: number }> {
    const use = (pool: pg.Pool) => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
    return { app: use(this.#app), system: use(this.#system) }
  }

  /** Returns the round trips that callers' transactions have waited for, and the milliseconds of them that were spent on the way. */
  roundTrips(): { readonly count: number; readonly networkMs: number } {
    const { count, networkMs } = this.#roundTrips
    return { count, networkMs }
  }

  /** Resolves once PostgreSQL has closed the connections. */
  async stop(): Promise<void> {
    await Promise.all([this.#app.close(), this.#system.close()])
  }

  async #retry<T>(attempt: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt()
      } catch (error) {
        if (attempts > 3 || !isTransient(error)) throw error
      }
    }
  }

  async #run<T>(
    pool: pg.Pool,
    begin: string,
    work: (db: Kysely<Database>) => Promise<T>,
    onRoundTrip = uncounted,
  ): Promise<T> {
    return this.#withClient(pool, async (client) => {
      const transaction = new Transaction(client, this.#prepared, onRoundTrip)
      // Not awaited: the first statements of the work go in the same round trip, and fail with it.
      corkWrites(client)
      const begun = this.#begin(transaction, begin)
      try {
        const result = await work(transaction.kysely)
        await begun
        transaction.end()
        if (begin.startsWith(READ_ONLY)) {
          // Nothing depends on a read's commit, so its response does not wait for it.
          void finish(client, 'commit')
        } else {
          onRoundTrip()
          await client.query('commit')
          client.release()
        }
        return result
      } catch (error) {
        transaction.end()
        await finish(client, 'rollback')
        throw transaction.causeOf(error)
      }
    })
  }

  /** Sends `begin`, which costs PostgreSQL next to nothing, so that its answer's time is that of the way. A failure is handled. */
  #begin(transaction: Transaction, begin: string): Promise<unknown> {
    const sentAt = performance.now()
    const begun = transaction.begin(begin)
    begun.then(
      () => this.#roundTrips.observe(performance.now() - sentAt),
      () => undefined,
    )
    return begun
  }

  /** Returns what counts the round trips that a caller's request waits for; what the service does itself is not counted. */
  #counterOf(bound: TenantBinding): () => void {
    return bound.kind === undefined ? uncounted : () => this.#roundTrips.add()
  }

  /** Takes a connection for `work`, which gives it back, and translates the errors of both. */
  async #withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const { connectTimeoutMs } = this.options
    const startedAt = performance.now()
    const client = await pool.connect().catch((error: unknown) => {
      throw this.#noteFailure(translateConnecting(error, performance.now() - startedAt - connectTimeoutMs))
    })
    try {
      return await work(client)
    } catch (error) {
      throw this.#noteFailure(translate(error))
    }
  }

  #noteFailure(failure: unknown): unknown {
    if (failure instanceof UnavailableError && failure.dependency === 'postgres') {
      this.#isDiskFull ||= failure.reason === 'disk_full'
      this.options.onOutage?.(failure.reason)
    }
    return failure
  }
}

function uncounted(): void {}

/** The statements of one transaction on a connection. */
class Transaction {
  readonly kysely: Kysely<Database>
  #isOpen = true
  /** Statements without an answer: those that are sent meanwhile share the round trip. */
  #unanswered = 0
  #failure: unknown = null

  constructor(
    private readonly client: pg.PoolClient,
    private readonly prepared: PreparedStatements,
    private readonly onRoundTrip: () => void,
  ) {
    const borrowed = { query: (text: string, values: unknown[]) => this.query(text, values), release: () => undefined }
    const pool = { connect: () => Promise.resolve(borrowed), end: () => Promise.resolve() }
    this.kysely = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
  }

  /** Sends `begin`, and before it what releases statements whose names were given up: nothing is under way on the connection yet. */
  begin(text: string): Promise<pg.QueryResult> {
    this.prepared.release(this.client)
    return this.query(text)
  }

  /**
   * Ends the transaction. A branch of the work that continues after this must not run statements in the connection's
   * next transaction, which is another tenant's.
   */
  end(): void {
    this.#isOpen = false
  }

  async query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    if (!this.#isOpen) throw new Error('The transaction of this statement is over.')
    if (this.#unanswered++ === 0) this.onRoundTrip()
    try {
      return await (values ? this.client.query({ ...this.prepared.name(text), text, values }) : this.client.query(text))
    } catch (error) {
      this.#failure ??= error
      throw error
    } finally {
      this.#unanswered--
    }
  }

  /** Returns the first failure: statements sent after one that failed fail too, and their errors may arrive first. */
  causeOf(error: unknown): unknown {
    return (error as { code?: string } | null)?.code === TRANSACTION_ABORTED ? this.#failure : error
  }
}

const TRANSACTION_ABORTED = '25P02'

/** Returns a command, not a query: PostgreSQL plans none, and answers with no row. */
function bindTenant(tenantId: string): string {
  return `set local app.tenant_id = ${pg.escapeLiteral(tenantId)}`
}

/** Returns the key of the quota lock, which `setMemoriesLimit` takes exclusively. */
export function quotaLockKey(tenantId: string): string {
  return `quota:${tenantId}`
}

function shareQuotaLock(tenantId: string): string {
  return `select pg_advisory_xact_lock_shared(hashtextextended(${pg.escapeLiteral(quotaLockKey(tenantId))}, 0))`
}

/** Releases the connection, or closes it when it does not answer. Never rejects. */
async function finish(client: pg.PoolClient, statement: 'commit' | 'rollback'): Promise<void> {
  await client.query(statement).then(
    () => client.release(),
    (failure: Error) => client.release(failure),
  )
}

/** Sends everything written before the next tick in one system call. */
function corkWrites({ connection }: pg.PoolClient): void {
  connection.stream.cork()
  process.nextTick(() => connection.stream.uncork())
}
