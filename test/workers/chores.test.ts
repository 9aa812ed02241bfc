import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import { type JobContext, jobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import { startChores } from '../../workers/repeat-jobs.js'
import { findUnanalysedTables } from '../../store/analyze.js'
import { Store } from '../../store/store.js'
import { remember } from '../support/memories.js'
import { runSql } from '../support/run-sql.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext, type TestWorkerContext } from '../support/worker-context.js'

describe('chores', () => {
  let test: TestStore
  let context: TestWorkerContext
  let jobs: JobContext
  const signal = new AbortController().signal

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(() => {
    context = testWorkerContext(test)
    jobs = jobContext(context)
  })

  const count = async (table: 'memory_counter_deltas' | 'index_pending' | 'idempotency_keys') =>
    (await test.store.asSystem(({ db }) => db.selectFrom(table).selectAll().execute())).length

  it('compact every pending counter delta', async () => {
    await remember(test.store, 'counted', 'one', 'two')
    expect(await count('memory_counter_deltas')).to.be.greaterThan(0)
    await JOBS.compactCounters.run(jobs, signal)
    expect(await count('memory_counter_deltas')).to.equal(0)
  })

  it('sweep settled rows', async () => {
    await remember(test.store, 'swept', 'three')
    await test.store.asSystem(({ db }) =>
      sql`update index_pending set settled_at = now() - interval '2 minutes'`.execute(db),
    )
    await JOBS.sweepSettled.run(jobs, signal)
    expect(await count('index_pending')).to.equal(0)
  })

  describe('of a database that is new', () => {
    let own: TestStore
    beforeEach(async () => {
      own = await createTestStore()
      // Its autovacuum could come first.
      await runSql(own.url, 'alter table memories set (autovacuum_enabled = false)')
    })
    afterEach(() => own.stop())

    const analyse = () => JOBS.analyzeNewTables.run({ ...jobs, store: own.store })
    const grown = () => own.store.asSystem(findUnanalysedTables)
    const write = (count: number) =>
      remember(own.store, 'first', ...Array.from({ length: count }, () => `text ${randomUUID()}`))
    const analysed = async () => (await runSql<{ name: string }>(own.url, ANALYSED_TABLES)).map(({ name }) => name)
    const ANALYSED_TABLES = 'select relname as name from pg_stat_user_tables where last_analyze is not null'
    const untilCounted = () =>
      until('the rows are counted', async () => {
        await write(1)
        return expect(await grown()).to.include('memories')
      })

    it('analyse the tables that have grown, once, and no others', async () => {
      await write(400)
      await analyse()
      expect(await analysed()).to.deep.equal([])
      await write(200)
      await untilCounted()
      await analyse()
      expect(await analysed())
        .to.include('memories')
        .and.to.not.include('documents')
      expect(await grown()).to.deep.equal([])
    })

    it('analyse no table that belongs to another login', async () => {
      const login = `login_${randomUUID().replaceAll('-', '')}`
      await runSql(own.url, `create role ${login} login password 'only-here' in role cairn_app, cairn_system`)
      const url = new URL(own.url)
      url.username = login
      url.password = 'only-here'
      const others = new Store({
        url: url.href,
        poolSize: 1,
        systemPoolSize: 1,
        statementTimeoutMs: 30_000,
        connectTimeoutMs: 3_000,
        logger: createLogger('silent'),
      })
      try {
        await write(600)
        await untilCounted()
        const found = await others.asSystem(findUnanalysedTables)
        expect(found).to.deep.equal([])
      } finally {
        await others.stop()
        await runSql(own.url, `drop role ${login}`)
      }
    })
  })

  it('measure the pending rows', async () => {
    await remember(test.store, 'measured', 'four')
    await JOBS.measureIndexing.run(jobs)
    expect(context.measured.states).to.have.length(1)
    expect(context.measured.states[0]).to.include({ pending: 1, failed: 0 })
  })

  it('purge responses stored for longer than a day, and no younger ones', async () => {
    const keep = (age: string) =>
      test.store.asSystem(({ db }) =>
        sql`insert into idempotency_keys (tenant_id, identity, route, idempotency_key, request_hash, created_at)
          values ('kept', 'agent', 'route', ${randomUUID()}, '\\x00', now() - ${age}::interval)`.execute(db),
      )
    await keep('25 hours')
    await keep('23 hours')
    await JOBS.purgeIdempotencyKeys.run(jobs, signal)
    expect(await count('idempotency_keys')).to.equal(1)
  })

  it('purge acknowledgements older than 90 days, but never the last one of an agent', async () => {
    const keep = (agent: string, run: string, age: string, tenantId = 'kept') =>
      test.store.asSystem(({ db }) =>
        sql`insert into keystone_acknowledgements (tenant_id, agent_id, run_id, etag, acknowledged_at)
          values (${tenantId}, ${agent}, ${run}, 'e', now() - ${age}::interval)`.execute(db),
      )
    await keep('ben', 'gone', '93 days')
    await keep('ben', 'last', '92 days')
    await keep('ana', 'oldest', '92 days')
    await keep('ana', 'older', '91 days')
    await keep('ana', 'recent', '89 days')
    await keep('ana', 'last', '1 day')
    await keep('ben', 'elsewhere', '1 day', 'another')
    await JOBS.purgeAcknowledgements.run(jobs, signal)
    const left = await test.store.asSystem(({ db }) =>
      db.selectFrom('keystone_acknowledgements').select(['agent_id', 'run_id']).orderBy('seq').execute(),
    )
    expect(left.map(({ agent_id, run_id }) => `${agent_id} ${run_id}`)).to.deep.equal([
      'ben last',
      'ana recent',
      'ana last',
      'ben elsewhere',
    ])
  })

  it('purge tombstones older than a day', async () => {
    const asked: number[] = []
    const index = { ...context.index, purgeTombstones: (before: number) => Promise.resolve(asked.push(before)) }
    const { indexes } = testWorkerContext(test, { index })
    await JOBS.purgeTombstones.run({ ...jobs, indexes, clock: { now: () => Date.parse('2026-03-02') } })
    expect(asked).to.deep.equal([Date.parse('2026-03-01')])
  })

  const sweeping = (run: () => Promise<void>) => ({ sweepSettled: { ...JOBS.sweepSettled, everyMs: 1, run } })

  it('run again after one that failed', async () => {
    let runs = 0
    const run = () => (++runs, Promise.reject(new UnavailableError('postgres')))
    const running = startChores(jobs, sweeping(run), ['lifecycle'])
    await until('the chore has run three times', () => expect(runs).to.be.at.least(3))
    await running.stop()
  })

  it('begin one after the other, and do not wait for one that takes long', async () => {
    const begun: string[] = []
    const [first, third] = [gate(), gate()]
    const chore = (name: string, ended: Promise<void>) => ({
      ...JOBS.sweepSettled,
      everyMs: 3_600_000,
      run: () => (begun.push(name), ended),
    })
    const running = startChores(
      jobs,
      { one: chore('one', first.opened), two: chore('two', Promise.resolve()), three: chore('three', third.opened) },
      ['lifecycle'],
    )
    expect(begun).to.deep.equal(['one'])
    await until('the others have begun beside the first', () => expect(begun).to.deep.equal(['one', 'two', 'three']))
    first.open()
    third.open()
    await running.stop()
  })

  it('say once that they wait for a dependency, and once that they go on', async () => {
    const said: [string, string][] = []
    const note = (fields: { failure?: string }, line?: string) =>
      void said.push(typeof fields === 'string' ? [fields, ''] : [line!, fields.failure!])
    const logger = { ...createLogger('silent'), info: note, warn: note } as unknown as JobContext['logger']
    let isAway = true
    let runs = 0
    const run = () => (++runs, isAway ? Promise.reject(new UnavailableError('postgres')) : Promise.resolve())
    const chore = { ...JOBS.sweepSettled, everyMs: 1, run }
    const running = startChores({ ...jobs, logger }, { one: chore, two: chore, three: chore }, ['lifecycle'])
    await until('they have tried again and again', () => expect(runs).to.be.at.least(9))
    expect(said).to.deep.equal([['chores wait', 'postgres unreachable']])
    isAway = false
    await until('they go on', () => expect(said).to.have.length(2))
    await running.stop()
    expect(said[1]).to.deep.equal(['chores go on', ''])
  })

  it('say each time that one failed at a fault of its own', async () => {
    const said: string[] = []
    const logger = { ...createLogger('silent'), warn: (_: object, line: string) => void said.push(line) }
    const run = () => Promise.reject(new TypeError('a fault of its own'))
    const running = startChores({ ...jobs, logger: logger as unknown as JobContext['logger'] }, sweeping(run), [
      'lifecycle',
    ])
    await until('it has failed twice', () => expect(said).to.have.length.of.at.least(2))
    await running.stop()
    expect(new Set(said)).to.deep.equal(new Set(['chore failed']))
  })

  it('run only for the queues of their process', async () => {
    let runs = 0
    const run = () => Promise.resolve(void runs++)
    await startChores(jobs, sweeping(run), ['indexing']).stop()
    expect(runs).to.equal(0)
    await startChores(jobs, sweeping(run), ['lifecycle']).stop()
    expect(runs).to.equal(1)
  })

  it('end before stop resolves', async () => {
    const [begun, release] = [gate(), gate()]
    let isDone = false
    const run = async () => {
      begun.open()
      await release.opened
      isDone = true
    }
    const running = startChores(jobs, sweeping(run), ['lifecycle'])
    await begun.opened
    const stopped = running.stop()
    release.open()
    await stopped
    expect(isDone).to.equal(true)
  })
})
