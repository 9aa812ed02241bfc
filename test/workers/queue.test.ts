import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { QueueSettings } from '../../workers/context.js'
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

  const schema = () => `${prefix.replace('-', '_')}_queue`
  async function run({ postgresUrl }: QueueSettings, statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: postgresUrl })
    await client.connect()
    await client.query(statement)
    await client.end()
  }

  behavesAsJobQueue(
    () => database.url,
    (postgresUrl) => ({ redisUrl: null, postgresUrl, prefix }),
    (settings) => run(settings, `delete from ${schema()}.job`),
    (settings, id) => run(settings, `update ${schema()}.job set locked_until_ms = 0 where id = '${id}'`),
  )
})
