import { expect } from 'chai'
import { sql } from 'kysely'
import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { migratedDatabase, type FreshDatabase } from '../support/postgres.js'
import { runSql } from '../support/run-sql.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { until } from '../support/states.js'

describe('a connection that is not available in time', function () {
  this.timeout(60_000)
  let database: FreshDatabase
  let way: SeverableUrl
  let store: Store
  before(async () => {
    database = await migratedDatabase()
    way = await startSeverableProxy(database.url)
  })
  after(async () => {
    await way.cut()
    await database.drop()
  })
  beforeEach(() => (store = newStore()))
  afterEach(() => store.stop())

  function newStore({ connections = 1, connectTimeoutMs = 500 } = {}): Store {
    const pools = { poolSize: connections, systemPoolSize: connections }
    const limits = { statementTimeoutMs: 5_000, connectTimeoutMs }
    return new Store({ url: way.url, ...pools, ...limits, logger: createLogger('silent') })
  }

  const read = () => store.read({ tenantId: 't' }, () => Promise.resolve('read'))
  const failure = () => read().catch((error: unknown) => error)

  it('does not report PostgreSQL as unavailable when all connections are in use', async () => {
    let release = () => {}
    const held = store.read({ tenantId: 't' }, () => new Promise<void>((resolve) => (release = resolve)))
    const error = await failure()
    release()
    await held
    expect(error).to.include({ name: 'UnavailableError', dependency: 'postgres', reason: 'busy' })
    expect((error as Error).message).to.equal('The service is busy: no connection to its PostgreSQL was free in time.')
    expect(await read()).to.equal('read')
  })

  it('does not report it as unavailable when this process was too busy to read the response', async () => {
    const asked = failure()
    // The handshake is answered meanwhile, but the timer fires first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    expect(await asked).to.include({ dependency: 'postgres', reason: 'busy' })
    expect(await read()).to.equal('read')
  })

  it('reports it as unavailable when PostgreSQL does not answer', async () => {
    way.hang()
    expect(await failure()).to.include({ dependency: 'postgres', reason: 'unreachable' })
    await way.restore()
    await way.cut()
    expect(await failure()).to.include({ dependency: 'postgres', reason: 'unreachable' })
    await way.restore()
    expect(await read()).to.equal('read')
  })

  it('is closed by PostgreSQL before the store has stopped', async () => {
    const stopped = newStore({ connections: 2, connectTimeoutMs: 30_000 })
    await Promise.all([1, 2].map(() => stopped.read({ tenantId: 't' }, () => Promise.resolve())))
    await stopped.asSystem(() => Promise.resolve())
    way.hang()
    let isStopped = false
    const stopping = stopped.stop().then(() => (isStopped = true))
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).to.equal(false)
    await way.restore()
    await stopping
  })

  it('is broken when the store stops and PostgreSQL does not answer', async () => {
    const stopped = newStore()
    let send = () => {}
    const sent = new Promise<void>((resolve) => (send = resolve))
    const writing = stopped
      .transact({ tenantId: 't' }, async ({ db }) => {
        await sql`select 1`.execute(db)
        send()
        await new Promise((resolve) => setImmediate(resolve))
      })
      .catch((error: unknown) => error)
    await sent
    way.hang()
    await stopped.stop()
    await way.restore()
    expect(await writing).to.include({ name: 'UnavailableError', dependency: 'postgres' })
  })

  async function openConnections(): Promise<number> {
    const rows = await runSql(
      database.url,
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'cairn_app'`,
    )
    return rows.length
  }

  it('is broken when the store stops and work keeps it', async () => {
    const stopped = newStore()
    let begin = () => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    void stopped.read({ tenantId: 't' }, () => {
      begin()
      return new Promise(() => undefined)
    })
    await begun
    await stopped.stop()
    await until('PostgreSQL has noticed', async () => (await openConnections()) === 0)
  })
})
