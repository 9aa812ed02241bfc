import type { Queue } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { QueueSettings } from '../../workers/context.js'
import { redisFault } from '../../workers/queue-faults.js'
import { postgresConnection } from '../../workers/queue-postgres.js'
import { CANNOT_SAVE, startRedisStub } from '../support/redis-stub.js'
import { freshDatabase, type FreshDatabase } from '../support/postgres.js'
import { behavesAsJobQueue } from '../support/job-queue-behaviour.js'
import { runSql } from '../support/run-sql.js'

describe('job queue in PostgreSQL', () => {
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
    await runSql(postgresUrl!, statement)
  }

  it('survives that PostgreSQL ends a connection which is taken and has nothing to do', async () => {
    const settings = { redisUrl: null, postgresUrl: database.url, prefix }
    const pool = new pg.Pool(postgresConnection(settings, 1, 3_000))
    try {
      const client = await pool.connect()
      const ended = new Promise((resolve) => client.once('end', resolve))
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      await runSql(database.url, 'select pg_terminate_backend($1)', [rows[0]!.pid])
      await ended
      const failure = await client.query('select 1').catch((error: Error) => error)
      expect(failure).to.be.an.instanceOf(Error)
      client.release(true)
      expect((await pool.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }])
    } finally {
      await pool.end()
    }
  })

  behavesAsJobQueue(
    () => database.url,
    (postgresUrl) => ({ redisUrl: null, postgresUrl, prefix }),
    (settings) => run(settings, `delete from ${schema()}.job`),
    (settings, id) => run(settings, `update ${schema()}.job set locked_until_ms = 0 where id = '${id}'`),
  )
})

describe('job queue in a Redis', () => {
  const cannotSave = {
    reason: 'disk_full',
    detail: "redis: MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk",
  }
  for (const [what, ping, fault] of [
    ['that cannot save takes no jobs', CANNOT_SAVE, cannotSave],
    ['that saves takes jobs', '+PONG', null],
  ] as const)
    it(what, async () => {
      const stub = await startRedisStub({ ping })
      const client = new Redis(stub.url, { retryStrategy: null })
      const queue = { getBackend: () => ({ connection: { client } }), count: () => 0 } as unknown as Queue
      try {
        expect(await redisFault(queue)).to.deep.equal(fault)
      } finally {
        client.disconnect()
        stub.stop()
      }
    })
})
