import { expect } from 'chai'
import { sql } from 'kysely'
import { UnavailableError } from '../../runtime/errors.js'
import type { OutageReason } from '../../runtime/outage-reasons.js'
import { dropBuild, findBuild, listLiveBuilds, switchTo, type IndexBuild } from '../../store/indexing/index-builds.js'
import { announceMark, confirmMark, markBuildLost } from '../../store/indexing/index-marks.js'
import { readMarks } from '../../store/indexing/known-marks.js'
import { compactCounters } from '../../store/tenants/counters.js'
import { type JobContext, jobContext } from '../../workers/context.js'
import { fillIndexBuild } from '../../workers/index-builds/fill-index-build.js'
import { measureIndexing } from '../../workers/measure.js'
import { watchIndexes } from '../../workers/index-builds/watch-indexes.js'
import { JOBS } from '../../workers/jobs.js'
import { createFakeEmbedder } from '../support/fake-embedder.js'
import { createTestIndexes, type TestIndexes } from '../support/index-builds.js'
import { createMovingClock, type MovingClock } from '../support/moving-clock.js'
import { remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { takeBatch, testWorkerContext } from '../support/worker-context.js'

describe('the watch over the indices', function () {
  this.timeout(30_000)
  let test: TestStore
  let indexes: TestIndexes
  let jobs: JobContext
  let clock: MovingClock
  let first: IndexBuild
  let counted: Record<string, { documents: number; rows: number }>[]
  const tenant = 'harbour'
  const going = new AbortController().signal

  beforeEach(async () => {
    counted = []
    test = await createTestStore()
    indexes = createTestIndexes(test, createFakeEmbedder())
    clock = createMovingClock()
    const context = testWorkerContext(test, { clock, indexes, indexing: { leaseMs: 100 } })
    const metrics = { ...context.metrics, indexCounts: (counts: (typeof counted)[0]) => void counted.push(counts) }
    jobs = jobContext({ ...context, metrics })
    first = await indexes.first()
  })
  afterEach(() => test.stop())

  const watch = () => watchIndexes(jobs, going)
  const fill = () => fillIndexBuild(jobs, going)
  const read = async ({ id }: IndexBuild) => (await test.store.asSystem((s) => findBuild(s, id)))!
  const live = () => test.store.asSystem(listLiveBuilds)
  async function indexAll(): Promise<void> {
    for (let batch = await takeBatch(test); batch; batch = await takeBatch(test))
      await JOBS.indexMemories.run(jobs, batch)
  }
  /** Makes it appear that nothing was claimed since the index was created, nor counted lately. */
  const passTime = () =>
    test.store.asSystem(({ db }) =>
      sql`update index_builds set made_at = made_at - interval '1 hour', counted_at = null`.execute(db),
    )
  async function recovered(): Promise<IndexBuild> {
    const [, next] = await live()
    await fill()
    await passTime()
    await fill()
    return read(next!)
  }

  it('finds nothing wrong with one that is whole, and every process says how much it holds', async () => {
    await remember(test.store, tenant, 'one', 'two')
    await indexAll()
    await measureIndexing(jobs)
    expect(counted, 'before the first count').to.deep.equal([])
    const other = jobContext(testWorkerContext(test, { indexes }))
    await watchIndexes(other, going)
    expect(await live()).to.have.length(1)
    expect((await read(first)).lostAt).to.equal(null)
    await measureIndexing(jobs)
    expect(counted.at(-1)).to.deep.equal({ memories: { documents: 2, rows: 2 }, documents: { documents: 0, rows: 0 } })
  })

  it('begins one replacement for a missing index, however many processes find it, and writes go there alone', async () => {
    const [a] = await remember(test.store, tenant, 'one')
    await indexAll()
    indexes.indexOf(first).lose()
    await Promise.all([watch(), watch(), watch()])
    const [serving, next, ...others] = await live()
    expect(serving).to.include({ id: first.id, error: 'the index is missing' })
    expect(next).to.include({ state: 'waiting', autoSwitch: true, model: first.model })
    expect(others).to.deep.equal([])
    expect((await test.store.asSystem((s) => readMarks(s, first.id))).isWhole).to.equal(false)

    const [b] = await remember(test.store, tenant, 'two')
    const outcome = await JOBS.indexMemories.run(jobs, (await takeBatch(test))!)
    expect(outcome, 'while there is none').to.include({ settled: 0, released: 1 })
    const done = await recovered()
    expect(done.state).to.equal('serving')
    expect([...indexes.indexOf(done).documents(tenant).keys()].sort()).to.deep.equal([a, b].sort())
    expect((await read(first)).state).to.equal('dropping')
  })

  it('begins a replacement for an index that holds too little, or lacks something of a single tenant', async () => {
    const ids = await remember(test.store, tenant, 'one', 'two')
    await remember(test.store, 'another', 'three')
    await indexAll()
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    const index = indexes.indexOf(first)
    index.documents(tenant).delete(ids[0]!)
    index.documents('another').set('ghost', { seq: 1, document: index.documents(tenant).get(ids[1]!)!.document })
    await test.store.asSystem((system) => compactCounters(system))
    await watch()
    expect((await read(first)).error).to.equal('the index holds 1 of 2 memories of a tenant')
    expect(await live()).to.have.length(2)
  })

  it('does not take wrong counters for a loss', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    await test.store.asSystem(({ db }) => sql`update memory_counter_deltas set delta = delta + 1`.execute(db))
    await watch()
    expect((await read(first)).lostAt).to.equal(null)
  })

  it('does not take rows that are pending, or have just settled, for a loss', async () => {
    await remember(test.store, tenant, 'pending')
    await watch()
    expect((await read(first)).lostAt).to.equal(null)
  })

  it('uses the one that is being filled already, even if it was to wait for its switch', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    const build = await indexes.begin()
    await passTime()
    indexes.indexOf(first).lose()
    await watch()
    expect((await live()).map(({ id }) => id)).to.deep.equal([first.id, build.id])
    await fill()
    expect(await read(build)).to.include({ state: 'serving' })
  })

  it('gives up one of another model that is not ready, and begins one that needs nothing embedded', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    const migration = await indexes.begin(createFakeEmbedder({ id: 'slow-remote' }))
    indexes.indexOf(first).lose()
    await watch()
    expect((await read(migration)).state).to.equal('dropping')
    const [, next, ...others] = await live()
    expect(next).to.include({ state: 'waiting', autoSwitch: true, model: first.model })
    expect(others).to.deep.equal([])
    expect((await recovered()).state).to.equal('serving')
  })

  it('replaces a lost one though nobody can tell how another does, and says that afterwards', async () => {
    const kept = await indexes.begin()
    await passTime()
    await fill()
    await test.store.asSystem((s) => switchTo(s, kept.id))
    const [serving, other] = await live()
    indexes.indexOf(other!).marks = () => Promise.reject(new UnavailableError('search'))
    await test.store.asSystem((s) => markBuildLost(s, serving!.id, 'the index is missing'))
    expect(await watch().catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
    expect((await live()).map(({ state }) => state)).to.deep.equal(['serving', 'waiting'])
  })

  it('switches to the one that is ready', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    const build = await indexes.begin()
    await passTime()
    await fill()
    expect((await read(build)).state).to.equal('ready')
    indexes.indexOf(first).lose()
    await watch()
    expect((await read(build)).state).to.equal('serving')
    expect((await read(first)).state).to.equal('dropping')
  })

  it('drops a lost one that is kept or being filled, and the serving one stays', async () => {
    const build = await indexes.begin()
    indexes.indexOf(build).lose()
    await watch()
    expect((await read(build)).state).to.equal('dropping')
    const next = await indexes.begin()
    await passTime()
    await fill()
    await test.store.asSystem((s) => switchTo(s, next.id))
    indexes.indexOf(first).lose()
    await watch()
    expect((await read(first)).state).to.equal('dropping')
    expect(await read(next)).to.include({ state: 'serving', lostAt: null })
  })

  it('concludes nothing from an unavailable engine', async () => {
    indexes.indexOf(first).marks = () => Promise.reject(new UnavailableError('search'))
    expect(await watch().catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
    expect((await read(first)).lostAt).to.equal(null)
  })

  it('takes an index for lost when a shard has had no copy for a minute, and not when its node came back', async () => {
    const index = indexes.indexOf(first)
    const real = index.marks
    const look = async (reason: OutageReason | null, afterMs = 0) => {
      clock.advance(afterMs)
      index.marks = reason === null ? real : () => Promise.reject(new UnavailableError('search', undefined, reason))
      await watch().catch((error: unknown) => expect(error).to.be.instanceOf(UnavailableError))
      return (await read(first)).error
    }
    const MINUTE = 60_000
    for (const back of [null, 'unreachable'] as const) {
      expect(await look('incomplete')).to.equal(null)
      expect(await look('incomplete', MINUTE - 5_000), 'a node that restarts').to.equal(null)
      expect(await look(back, MINUTE)).to.equal(null)
    }
    expect(await look('incomplete'), 'the first look at another node').to.equal(null)
    expect(await look('incomplete', MINUTE)).to.equal('a shard has had no copy for a minute')
    expect(await live()).to.have.length(2)
  })

  it('ends what another process began: noted as lost, and then killed', async () => {
    await test.store.asSystem((s) => markBuildLost(s, first.id, 'the index is missing'))
    expect(await test.store.asSystem((s) => markBuildLost(s, first.id, 'again'))).to.equal(false)
    await watch()
    expect(await live()).to.have.length(2)
  })

  describe('marks', () => {
    const announce = () => test.store.asSystem((s) => announceMark(s, first.id, { everyMs: 0 }))
    const marks = async () => (await test.store.asSystem((s) => readMarks(s, first.id))).marks

    it('are announced, written and confirmed with the changes, at intervals', async () => {
      expect(await marks()).to.deep.equal([first.id])
      await remember(test.store, tenant, 'one')
      await indexAll()
      const [mark, ...others] = await marks()
      expect(others).to.deep.equal([])
      expect(mark).to.not.equal(first.id)
      expect(await indexes.indexOf(first).marks()).to.deep.equal([mark])
    })

    it('that a process announced before it was killed are valid, written or not, and the next writes the same', async () => {
      const announced = (await announce())!
      expect(await marks()).to.deep.equal([first.id, announced.next])
      await watch()
      await indexes.indexOf(first).remark([first.id], announced.next!)
      await watch()
      expect((await read(first)).lostAt).to.equal(null)
      expect((await announce())!.next).to.equal(announced.next)
      await test.store.asSystem((s) => confirmMark(s, first.id, announced.next!))
      expect(await marks()).to.deep.equal([announced.next])
    })

    it('let nothing settle in an index that has another', async () => {
      await indexes.indexOf(first).remark([first.id], 'of another time')
      await remember(test.store, tenant, 'one')
      expect(await JOBS.indexMemories.run(jobs, (await takeBatch(test))!)).to.include({ settled: 0, released: 1 })
      await watch()
      expect((await read(first)).error).to.equal('the index and the database are from different points in time')
    })
  })

  describe('where another built-in model takes the place of the serving one', () => {
    const former = createFakeEmbedder()
    const next = createFakeEmbedder({ id: 'next-embedder' })
    beforeEach(() => indexes.succeedBy(next, former))
    const kept = () => live().then((builds) => builds.map(({ id, state }) => [id, state]))

    it('begins its index once, however many processes watch, and that one then serves', async () => {
      await remember(test.store, tenant, 'one')
      await indexAll()
      await Promise.all([watch(), watch(), watch()])
      const [serving, build, ...others] = await live()
      expect(serving).to.include({ id: first.id, state: 'serving', lostAt: null })
      expect(build).to.include({ state: 'waiting', autoSwitch: true, model: next.id, dimensions: next.dimensions })
      expect(others).to.deep.equal([])
      expect((await recovered()).state).to.equal('serving')
      await watch()
      expect(await kept()).to.deep.equal([
        [build!.id, 'serving'],
        [first.id, 'kept'],
      ])
    })

    it('does not begin it again when an operator has dropped it, or has switched back', async () => {
      await watch()
      const [, build] = await live()
      await test.store.asSystem((system) => dropBuild(system, build!.id))
      await watch()
      expect(await live()).to.have.length(1)
    })

    it('leaves alone what an operator builds or keeps', async () => {
      const build = await indexes.begin(createFakeEmbedder({ id: 'third-embedder' }))
      await watch()
      expect(await kept()).to.deep.equal([
        [first.id, 'serving'],
        [build.id, 'waiting'],
      ])
      await test.store.asSystem(({ db }) =>
        sql`update index_builds set state = 'kept' where id = ${build.id}`.execute(db),
      )
      await watch()
      expect(await live()).to.have.length(2)
    })

    it('begins nothing beside the index of another model', async () => {
      indexes.succeedBy(next, createFakeEmbedder({ id: 'another-embedder' }))
      await watch()
      expect(await live()).to.have.length(1)
    })

    it('replaces a lost index by one with its vectors, at the price of one', async () => {
      await remember(test.store, tenant, 'one')
      await indexAll()
      indexes.indexOf(first).lose()
      await watch()
      const [lost, build, ...others] = await live()
      expect(lost).to.include({ id: first.id, error: 'the index is missing' })
      expect(build).to.include({ model: next.id, autoSwitch: true })
      expect(others).to.deep.equal([])
      await watch()
      expect(await live(), 'the one being filled').to.have.length(2)
      expect((await recovered()).state).to.equal('serving')
    })

    it('replaces a lost index by one of the same model once an operator has switched back', async () => {
      await watch()
      const [, build] = await live()
      await test.store.asSystem((system) => dropBuild(system, build!.id))
      indexes.indexOf(first).lose()
      await watch()
      expect((await live())[1]).to.include({ model: first.model })
    })
  })
})
