import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../runtime/errors.js'
import { claim } from '../../store/outbox/outbox-claim.js'
import { readIndexingState } from '../../store/outbox/outbox-upkeep.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import { JOBS } from '../../workers/jobs.js'
import { createWorkers, type Workers } from '../../workers/pool.js'
import { remember } from '../support/memories.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext, type TestWorkerContext } from '../support/worker-context.js'
import { runSql } from '../support/run-sql.js'

describe('worker pool', () => {
  let test: TestStore
  let context: TestWorkerContext
  let tenant: string
  const started: Workers[] = []

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    tenant = `t-${randomUUID()}`
    context = testWorkerContext(test)
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((workers) => workers.stop(2_000)))
  })

  function start(given: TestWorkerContext = context): Workers {
    const workers = createWorkers(given, { queues: ['indexing'] })
    started.push(workers)
    workers.start()
    return workers
  }
  const documents = (tenantId = tenant) => context.index.documents(tenantId)
  const pending = async (tenantId?: string) =>
    (await test.store.asSystem((system) => readIndexingState(system, tenantId))).pending
  const put = (tenantId: string, count: number) =>
    test.store.asSystem(({ db }) =>
      sql`insert into index_pending (tenant_id, kind, entity_id)
        select ${tenantId}, 'memory', gen_random_uuid() from generate_series(1, ${count})`.execute(db),
    )

  it('indexes writes made before and after its start', async () => {
    const [early] = await remember(test.store, tenant, 'early')
    start()
    await until('the memory is indexed', () => documents().has(early!))
    const [late] = await remember(test.store, tenant, 'late')
    await until(
      'the later memory is indexed, and nothing is pending',
      async () => documents().has(late!) && (await pending()) === 0,
    )
  })

  it('indexes each row in its newest state when two processes work at once', async () => {
    const contents = Array.from({ length: 60 }, (_, i) => `text ${i}`)
    const options = { indexing: { batchSize: 5 } }
    start(testWorkerContext(test, { ...options, index: context.index }))
    start(testWorkerContext(test, { ...options, index: context.index }))
    const tenants = ['a', 'b', 'c'].map((name) => `${tenant}-${name}`)
    const ids = await Promise.all(tenants.map((name) => remember(test.store, name, ...contents)))
    for (let round = 0; round < 5; round++)
      await Promise.all(
        tenants.map((name, i) =>
          test.store.transact({ tenantId: name }, async (writer) => {
            await sql`update memories set content = ${`round ${round} `} || id where tenant_id = ${name}`.execute(
              writer.db,
            )
            await enqueue(writer, 'memory', ids[i]!)
          }),
        ),
      )
    await until('nothing is pending', async () => expect(await pending()).to.equal(0))
    for (const [i, name] of tenants.entries())
      for (const id of ids[i]!) expect(documents(name).get(id)?.document?.terms, id).to.include('4')
  })

  it('claims the rows of a dead process once their lease has expired', async () => {
    const ids = await remember(test.store, tenant, 'one', 'two')
    const dead = { batches: 1, batchSize: 10, leaseMs: 300, after: '' }
    expect((await test.store.asSystem((system) => claim(system, 'memory', dead))).batches).to.have.length(1)
    start()
    await until(
      'every memory is indexed, and nothing is pending',
      async () => ids.every((id) => documents().has(id)) && (await pending()) === 0,
    )
  })

  it('makes rows due again whose job ended because PostgreSQL was unavailable, without asking the queue', async () => {
    // A stopped clock: the relay never looks up what the queue knows.
    const clock = { now: () => 0 }
    const failing = testWorkerContext(test, { clock })
    let calls = 0
    const workers = createWorkers(failing, {
      queues: ['indexing'],
      jobs: {
        indexMemories: {
          ...JOBS.indexMemories,
          run(...given: Parameters<typeof JOBS.indexMemories.run>) {
            if (++calls === 1) throw new UnavailableError('postgres')
            return JOBS.indexMemories.run(...given)
          },
        },
      },
    })
    started.push(workers)
    workers.start()
    const [id] = await remember(test.store, tenant, 'written')
    await until('the memory is indexed', () => failing.index.documents(tenant).has(id!))
    expect(calls).to.equal(2)
  })

  it('loses nothing when the queue forgets everything', async () => {
    context = testWorkerContext(test, { indexing: { concurrency: 1, maxBatches: 6, batchSize: 5 } })
    const [writing, release] = [gate(), gate()]
    context.index.before = async () => {
      writing.open()
      await release.opened
    }
    await put(tenant, 40)
    start(context)
    await writing.opened
    const waiting = () =>
      test.store.asSystem(({ db }) =>
        sql<{ id: string }>`select ticket as id from index_pending where ticket is not null group by ticket`.execute(
          db,
        ),
      )
    await until('six jobs are queued', async () => expect((await waiting()).rows.length).to.be.at.least(6))
    await forgetJobs(test.url)
    release.open()
    await until('nothing is pending', async () => expect(await pending()).to.equal(0))
    expect(documents().size).to.equal(40)
  })

  it('keeps changes in PostgreSQL, without an attempt, while the queue is unavailable', async () => {
    await put(tenant, 20)
    const postgresUrl = 'postgres://nobody@127.0.0.1:1/none'
    const lonely = testWorkerContext(test, { queue: { redisUrl: null, postgresUrl, prefix: 'test' } })
    const workers = start(lonely)
    const rows = () =>
      test.store.asSystem(({ db }) =>
        db.selectFrom('index_pending').select(['attempts', 'due_at', 'changed_at']).execute(),
      )
    await until('a row is put off', async () => (await rows()).some((row) => row.due_at > row.changed_at))
    await workers.stop(0)
    expect((await rows()).every((row) => row.attempts === 0)).to.equal(true)
    start()
    await until('every memory is indexed', () => expect(documents().size).to.equal(20))
  })

  it('does not let one row of a tenant wait for the backlog of another', async () => {
    context = testWorkerContext(test, { indexing: { concurrency: 2, batchSize: 20 } })
    await put('backlog', 4_000)
    start(context)
    await until('most of the backlog is indexed', () => expect(documents('backlog').size).to.be.greaterThan(200))
    const [id] = await remember(test.store, tenant, 'just one')
    await until('the memory is indexed', () => documents().has(id!))
    expect(await pending('backlog')).to.be.greaterThan(1_000)
  })

  it('probes with one small batch while the engine is unavailable, and catches up by itself', async () => {
    await put(tenant, 500)
    context.index.isAway = true
    start()
    await until('the engine is tried several times', () => expect(context.index.calls.length).to.be.greaterThan(8))
    const probes = context.index.calls.slice(-3).map((call) => call.size)
    expect(Math.max(...probes)).to.be.at.most(10)
    const tried = await test.store.asSystem(({ db }) =>
      db.selectFrom('index_pending').select('attempts').where('attempts', '>', 0).execute(),
    )
    expect(tried).to.deep.equal([])
    context.index.isAway = false
    await until('nothing is pending', async () => expect(await pending()).to.equal(0))
    expect(documents().size).to.equal(500)
  })

  it('adds the vectors by itself once the embedder is available again', async () => {
    context.embedder.isAway = true
    const [id] = await remember(test.store, tenant, 'needs a vector')
    start()
    await until('the memory is indexed', () => documents().has(id!))
    expect(documents().get(id!)!.document!.vector).to.equal(null)
    context.embedder.isAway = false
    await until('the memory has its vector', () => expect(documents().get(id!)!.document!.vector).to.not.equal(null))
  })

  it('lets the current batch end before it stops, and takes no other', async () => {
    context = testWorkerContext(test, { indexing: { concurrency: 1, maxBatches: 1, batchSize: 5 } })
    const [writing, release] = [gate(), gate()]
    context.index.before = async () => {
      writing.open()
      await release.opened
    }
    await put(tenant, 20)
    const workers = start(context)
    await writing.opened
    const waits: string[] = []
    const stopped = workers.stop(undefined, async (piece, ended) => {
      waits.push(piece)
      await ended
    })
    release.open()
    await stopped
    expect(waits).to.deep.equal([
      'chores',
      'relay of indexing',
      'lifecycle',
      'forge',
      'worker of indexing',
      'queue of indexing',
    ])
    expect(documents().size).to.equal(5)
    expect(await pending()).to.equal(15)
  })

  it('stops at once when it never reached its queue', async () => {
    const queue = { redisUrl: null, postgresUrl: 'postgres://nobody@127.0.0.1:1/none', prefix: 'test' }
    await start(testWorkerContext(test, { queue })).stop(0)
  })

  it('has one job for the rows of each kind', () => {
    const kinds = {
      memory: 1,
      document: 1,
      vector: 1,
      document_vector: 1,
      enrich: 1,
      scan: 1,
      opinion: 1,
    } satisfies Record<PendingKind, 1>
    const ofJobs = Object.values(JOBS).flatMap((job) => ('rows' in job ? [job.rows] : []))
    expect(ofJobs).to.have.members(Object.keys(kinds))
  })
})

/** Deletes every waiting job, as after a restart of a queue without persistence. */
async function forgetJobs(url: string): Promise<void> {
  await runSql(url, `delete from test_queue.job where state <> 'active'`)
}
