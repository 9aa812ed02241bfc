import { expect } from 'chai'
import { sql } from 'kysely'
import { createLogger } from '../../runtime/logger.js'
import { requireRoles } from '../../store/require-database.js'
import { Store } from '../../store/store.js'
import { startDroppingPooler } from '../support/dropping-pooler.js'
import { migratedDatabase, type FreshDatabase } from '../support/postgres.js'
import { runCairn } from '../support/processes.js'

describe('the role of a connection', function () {
  this.timeout(60_000)
  let database: FreshDatabase
  let pooler: Awaited<ReturnType<typeof startDroppingPooler>>
  before(async () => {
    database = await migratedDatabase()
    pooler = await startDroppingPooler(database.url)
  })
  after(async () => {
    pooler.stop()
    await database.drop()
  })
  beforeEach(() => (pooler.drops = true))

  const newStore = () =>
    new Store({
      url: pooler.url,
      poolSize: 1,
      systemPoolSize: 1,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 3_000,
      logger: createLogger('silent'),
    })
  const roleOf = async (store: Store) =>
    store.read({ tenantId: 't' }, async ({ db }) => {
      return (await sql<{ role: string }>`select current_user as role`.execute(db)).rows[0]!.role
    })

  it('is that of row level security, or nothing is read or written with it', async () => {
    const store = newStore()
    try {
      const refused = [
        await roleOf(store).catch((error: unknown) => error),
        await store.transact({ tenantId: 't' }, () => Promise.resolve('done')).catch((error: unknown) => error),
        await store.asSystem(() => Promise.resolve('done')).catch((error: unknown) => error),
      ]
      for (const error of refused) {
        expect(error).to.include({ name: 'UnavailableError', dependency: 'postgres', reason: 'wrong_role' })
        expect((error as Error).message).to.match(/role that separates tenants/)
      }
      pooler.drops = false
      expect(await roleOf(store)).to.equal('cairn_app')
    } finally {
      await store.stop()
    }
  })

  it('is checked once for each connection, not for each request', async () => {
    pooler.drops = false
    const store = newStore()
    try {
      await roleOf(store)
      pooler.drops = true
      for (let i = 0; i < 5; i++) expect(await roleOf(store)).to.equal('cairn_app')
    } finally {
      await store.stop()
    }
  })

  it('stops a start when it is wrong, and doctor says what to do', async () => {
    const env = { DATABASE_URL: pooler.url, OPENSEARCH_URL: 'http://127.0.0.1:1', ADMIN_API_KEY: 'x'.repeat(30) }
    const [started, looked] = await Promise.all([runCairn(['api'], { env }), runCairn(['doctor'], { env })])
    expect([started.code, started.stderr]).to.satisfy(
      ([code, text]: [number, string]) =>
        code === 2 && /^cairn: DATABASE_URL: a connection that asks for .*`options`/.test(text),
    )
    expect(looked.code).to.equal(1)
    expect(looked.stdout).to.match(/✘ PostgreSQL .*asks for the role cairn_app acts as .*PgBouncer/)
    pooler.drops = false
    await requireRoles(pooler.url, 3_000)
  })
})
