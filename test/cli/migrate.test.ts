import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { prepareDatabase } from '../../app/compose-parts.js'
import { createConfig, readEnv } from '../../runtime/config.js'
import { ConfigError } from '../../runtime/errors.js'
import { freshDatabase, type FreshDatabase } from '../support/postgres.js'
import { runCairn } from '../support/processes.js'
import { runSql } from '../support/run-sql.js'

describe('cairn migrate', function () {
  this.timeout(60_000)
  const login = `login_${randomBytes(6).toString('hex')}`
  let database: FreshDatabase
  let url: string

  const run = (statement: string) => runSql(database.url, statement)
  before(async () => {
    database = await freshDatabase()
    const own = new URL(database.url)
    own.username = own.password = login
    url = own.href
    await run(`create role ${login} login password '${login}'; alter database ${own.pathname.slice(1)} owner to ${login};
      do $$ begin
        if not exists (select from pg_roles where rolname = 'cairn_app') then create role cairn_app nologin; end if;
        if not exists (select from pg_roles where rolname = 'cairn_system') then create role cairn_system nologin; end if;
      end $$`)
  })
  after(async () => {
    const other = await freshDatabase()
    await database.drop()
    database = other
    await run(`drop role ${login}`)
    await other.drop()
  })

  const migrate = () => runCairn(['migrate'], { env: { DATABASE_URL: url } })

  it('reports what a login lacks that may not grant the roles, and accepts one that may', async () => {
    const refused = await migrate()
    expect([refused.code, refused.stdout]).to.deep.equal([2, ''])
    expect(refused.stderr).to.match(/^cairn: DATABASE_URL: .*"cairn_app"\. To migrate, .*CREATEROLE/)
    expect(refused.stderr).to.not.contain(login)
    await run(`alter role ${login} createrole; grant cairn_app, cairn_system to ${login} with admin option`)
    expect(await migrate()).to.deep.include({ code: 0, stderr: '' })
    expect(await migrate()).to.deep.include({ code: 0, stdout: 'The database is up to date.\n' })
  })
  it('reports a database that another version migrated, as do doctor and the start of an api', async () => {
    const applied = await runSql<{ name: string }>(database.url, 'select name from kysely_migration order by name')
    await run(`update kysely_migration set name = 'of-another-version' where name = '${applied[0]!.name}'`)
    const advice =
      /another version of cairn migrated the database \(of-another-version\).* begin with a new, empty one\./
    const env = { DATABASE_URL: url, OPENSEARCH_URL: 'http://127.0.0.1:1' }
    for (const command of ['migrate', 'api']) {
      const { code, stdout, stderr } = await runCairn([command], { env })
      expect([code, stdout]).to.deep.equal([2, ''])
      expect(stderr)
        .to.match(/^cairn: DATABASE_URL: /m)
        .and.to.match(advice)
    }
    const { code, stdout } = await runCairn(['doctor'], { env })
    expect([code, stdout.split('\n').some((line) => /✘ PostgreSQL/.test(line) && advice.test(line))]).to.deep.equal([
      1,
      true,
    ])
    const embedded = createConfig(readEnv({ DATA_DIR: '/data' }))
    const error = await prepareDatabase(url, embedded, true).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    )
    expect(error).to.be.instanceOf(ConfigError)
    expect(error!.message)
      .to.match(/^DATA_DIR: \/data: another version/)
      .and.to.match(advice)
  })
})
