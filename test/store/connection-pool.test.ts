import { expect } from 'chai'
import type pg from 'pg'
import { createLogger } from '../../runtime/logger.js'
import { ConnectionPool } from '../../store/connection-pool.js'
import { EndableClient } from '../../store/connection.js'
import { migratedDatabase, type FreshDatabase } from '../support/postgres.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'

describe('a pool of connections', function () {
  this.timeout(60_000)
  let database: FreshDatabase
  let way: SeverableUrl
  let pool: ConnectionPool
  before(async () => {
    database = await migratedDatabase()
    way = await startSeverableProxy(database.url)
    const limits = { statementTimeoutMs: 5_000, connectTimeoutMs: 1_000 }
    pool = new ConnectionPool({ url: way.url, ...limits, logger: createLogger('silent') }, 'cairn_app', 2)
  })
  after(async () => {
    await pool.close()
    await way.cut()
    await database.drop()
  })

  it('keeps none for a caller that gave up while its role was asked for', async () => {
    const first = await pool.connect()
    first.release()
    // Asking for the role begins to hang half a second after the connection was asked for, and goes on when the caller has given up.
    way.hang()
    Object.assign(pool, {
      Client: class extends EndableClient {
        override query(...given: unknown[]): never {
          way.hang()
          return (super.query as (...given: unknown[]) => never)(...given)
        }
      },
    })
    const [idle, late] = [pool.connect(), pool.connect()]
    setTimeout(() => void way.restore(), 500)
    const failure = await late.catch((error: unknown) => error)
    await way.restore()
    expect((failure as Error).message).to.contain('timeout exceeded')
    ;(await idle).release()
    const both: pg.PoolClient[] = await Promise.all([pool.connect(), pool.connect()])
    for (const client of both) client.release()
  })
})
