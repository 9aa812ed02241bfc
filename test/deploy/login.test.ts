import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type pg from 'pg'
import { createLogger } from '../../runtime/logger.js'
import { withConnection } from '../../store/connection.js'
import { migrateDown, migrateUp } from '../../store/migrate.js'
import { Store } from '../../store/store.js'
import { runSql } from '../support/run-sql.js'

const SCRIPT = fileURLToPath(new URL('../../deploy/postgres/login.sql', import.meta.url))
const server = process.env.CAIRN_TEST_DATABASE_URL

/** The login of deploy/postgres/login.sql, on the shared server: psql runs the script as compose does. */
describe('deploy/postgres/login.sql', function () {
  this.timeout(60_000)
  const name = `cairn_test_login_${randomBytes(4).toString('hex')}`
  const password = `it's "${randomBytes(8).toString('hex')}"`
  let url: string
  before(async function () {
    if (!server) return this.skip()
    await promisify(execFile)(
      'psql',
      ['--no-psqlrc', '--quiet', '--set', `login=${name}`, '--set', `database=${name}`, '--file', SCRIPT, server],
      { env: { ...process.env, CAIRN_PASSWORD: password } },
    )
    const own = new URL(server)
    own.pathname = `/${name}`
    own.username = name
    own.password = encodeURIComponent(password)
    url = own.href
    await migrateUp(url)
  })
  after(async () => {
    if (!server) return
    await runSql(server, `drop database if exists ${name} with (force)`)
    await runSql(server, `drop role if exists ${name}`)
  })

  const asLogin = <T>(work: (client: pg.Client) => Promise<T>) => withConnection(url, work)

  async function fill(tenantId: string): Promise<void> {
    await asLogin(async (client) => {
      await client.query('set role cairn_system')
      await client.query(`insert into entities (tenant_id, id, name_key) values ($1, gen_random_uuid(), 'x')`, [
        tenantId,
      ])
    })
  }

  it('makes a login that is no superuser and has nothing that row level security does not hold for', async () => {
    const { rows } = await asLogin((client) =>
      client.query(
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit, rolcanlogin from pg_roles where rolname = session_user`,
      ),
    )
    expect(rows).to.deep.equal([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolinherit: false,
        rolcanlogin: true,
      },
    ])
  })

  it('keeps the password that it was given', async () => {
    const { rows } = await withConnection(server!, (client) =>
      client.query<{ set: boolean }>('select rolpassword is not null as set from pg_authid where rolname = $1', [name]),
    )
    expect(rows).to.deep.equal([{ set: true }])
  })

  it('shows no tenant’s rows once a connection gives its role back, although it owns the tables', async () => {
    await fill('ours')
    await asLogin(async (client) => {
      const count = async () => (await client.query('select from entities')).rowCount
      await client.query('set role cairn_system')
      expect(await count()).to.be.greaterThan(0)
      await client.query(`set role cairn_app; set app.tenant_id = 'ours'`)
      expect(await count()).to.be.greaterThan(0)
      await client.query('reset role')
      const owner = await client.query(
        `select from pg_tables where tablename = 'entities' and tableowner = current_user`,
      )
      expect(owner.rowCount).to.equal(1)
      expect(await count()).to.equal(0)
      expect((await client.query('update entities set name_key = name_key')).rowCount).to.equal(0)
    })
  })

  it('is enough for what processes do: take their roles, make and drop partitions, vacuum', async () => {
    const store = new Store({
      url,
      poolSize: 1,
      systemPoolSize: 1,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 3_000,
      logger: createLogger('silent'),
    })
    try {
      await store.read({ tenantId: 'ours' }, ({ db }) => db.selectFrom('entities').selectAll().execute())
      expect(await store.writeFault()).to.equal(null)
    } finally {
      await store.stop()
    }
    await asLogin(async (client) => {
      await client.query('set role cairn_system')
      await client.query(`select ensure_recall_partition(current_date + 9), drop_recall_partitions('2020-01-01')`)
      await client.query('reset role')
      await client.query('vacuum entities')
    })
  })

  it('lets migrations change rows of tenants', async () => {
    const reverted: string[] = []
    while (!reverted.includes('2026-11-26-02-bound-reviews')) reverted.push(...(await migrateDown(url)))
    await asLogin(async (client) => {
      await client.query('set role cairn_system')
      await client.query(
        `insert into documents (tenant_id, id, collection, doc_id, fleet_id, data, text_hash, created_at, updated_at)
          values ('ours', gen_random_uuid(), 'skills', 'forge/x', 'red', '{}', '', now(), now())`,
      )
      await client.query(
        `insert into skill_poison (tenant_id, fleet_key, fingerprint, sketch, doc_id, reason, rejected_at, until)
          values ('ours', 'red', 'f', '{}', 'forge/x', 'wrong', now(), now())`,
      )
    })
    await migrateUp(url)
    await asLogin(async (client) => {
      await client.query('set role cairn_system')
      expect((await client.query(`select from index_pending where kind = 'document'`)).rowCount).to.equal(1)
      expect((await client.query('select source from skill_poison')).rows).to.deep.equal([{ source: 'forge' }])
    })
  })
})
