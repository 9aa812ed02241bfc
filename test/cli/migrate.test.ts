import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { freshDatabase, type FreshDatabase } from '../support/postgres.js'
import { runCairn } from '../support/processes.js'

describe('cairn migrate', function () {
  this.timeout(60_000)
  const login = `login_${randomBytes(6).toString('hex')}`
  let database: FreshDatabase
  let url: string

  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
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
})
