import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { freshDatabase, type FreshDatabase } from '../support/postgres.js'
import { behavesAsJobQueue } from '../support/job-queue-behaviour.js'

describe('job queue in Postgres', () => {
  let database: FreshDatabase
  let prefix: string

  before(async () => {
    database = await freshDatabase()
  })
  beforeEach(() => {
    prefix = `q-${randomBytes(4).toString('hex')}`
  })
  after(() => database.drop())

  behavesAsJobQueue(
    () => database.url,
    (postgresUrl) => ({ redisUrl: null, postgresUrl, prefix }),
    async ({ postgresUrl }) => {
      const client = new pg.Client({ connectionString: postgresUrl })
      await client.connect()
      await client.query(`delete from ${prefix.replace('-', '_')}_queue.job`)
      await client.end()
    },
  )
})
