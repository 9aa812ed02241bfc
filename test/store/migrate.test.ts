import { expect } from 'chai'
import pg from 'pg'
import { migrateDown, migrateUp, pendingMigrations } from '../../store/migrate.js'
import { freshDatabase } from '../support/postgres.js'

describe('migrations', () => {
  let database: { url: string; drop(): Promise<void> }
  beforeEach(async () => (database = await freshDatabase()))
  afterEach(() => database.drop())

  async function tables(): Promise<string[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
      )
      return rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'))
    } finally {
      await client.end()
    }
  }

  it('go up from nothing, all the way down, and up again', async () => {
    const names = await migrateUp(database.url)
    const full = await tables()
    for (const name of [...names].reverse()) expect(await migrateDown(database.url)).to.deep.equal([name])
    expect(await tables()).to.deep.equal([])
    expect(await pendingMigrations(database.url)).to.deep.equal(names)
    expect(await migrateUp(database.url)).to.deep.equal(names)
    expect(await tables()).to.deep.equal(full)
  })

  it('are applied once by processes that start at the same moment', async () => {
    const [one, two] = await Promise.all([migrateUp(database.url), migrateUp(database.url)])
    expect([...one, ...two].sort()).to.deep.equal([...new Set([...one, ...two])].sort())
    expect(await pendingMigrations(database.url)).to.deep.equal([])
  })
})
