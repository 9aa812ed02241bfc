import { expect } from 'chai'
import { sql } from 'kysely'
import { UnavailableError } from '../../runtime/errors.js'
import { findBuild, type IndexBuild } from '../../store/indexing/index-builds.js'
import { announceMark, confirmMark } from '../../store/indexing/index-marks.js'
import { readMarks } from '../../store/indexing/known-marks.js'
import { findForeignMark } from '../../workers/index-builds/check-index.js'
import { type JobContext, jobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import { createFakeEmbedder } from '../support/fake-embedder.js'
import type { FakeIndex } from '../support/fake-index.js'
import { createTestIndexes, type TestIndexes } from '../support/index-builds.js'
import { remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { takeBatch, testWorkerContext } from '../support/worker-context.js'

describe('the mark of an index', () => {
  let test: TestStore
  let indexes: TestIndexes
  let jobs: JobContext
  let build: IndexBuild
  let index: FakeIndex
  let tenants = 0

  beforeEach(async () => {
    test = await createTestStore()
    indexes = createTestIndexes(test, createFakeEmbedder())
    jobs = jobContext(testWorkerContext(test, { indexes }))
    build = await indexes.first()
    index = indexes.indexOf(build)
  })
  afterEach(() => test.stop())

  const announce = (everyMs = 0) => test.store.asSystem((s) => announceMark(s, build.id, { everyMs }))
  const marks = async () => (await test.store.asSystem((s) => readMarks(s, build.id))).marks
  /** Action of another process while it writes. */
  async function moveOn(): Promise<void> {
    const { known, next } = (await announce())!
    await index.remark(known, next!)
    await test.store.asSystem((s) => confirmMark(s, build.id, next!))
  }
  async function indexOne(context = jobs) {
    await remember(test.store, `tenant-${tenants++}`, 'one')
    return JOBS.indexMemories.run(context, (await takeBatch(test))!)
  }

  it('covers a batch that begins while it is announced: the batch places and confirms it', async () => {
    await announce()
    expect(await indexOne()).to.include({ settled: 1 })
    expect(await marks()).to.have.length(1)
    expect(await marks()).to.not.include(build.id)
    expect(await index.marks()).to.deep.equal(await marks())
  })

  it('stands for a while once it is confirmed, and not before', async () => {
    const everyMs = 3_600_000
    const { next } = (await announce(everyMs))!
    expect((await announce(everyMs))!.next).to.equal(next)
    await test.store.asSystem((s) => confirmMark(s, build.id, next!))
    expect(await announce(everyMs)).to.deep.include({ known: [next], next: null })
    expect((await announce())!.next).to.not.equal(null)
  })

  it('has no age that is known when the clock of PostgreSQL was put back since it was announced', async () => {
    const { next } = (await announce())!
    expect((await announce())!.ageMs).to.be.a('number')
    await test.store.asSystem(({ db }) => sql`update index_builds set marked_at = now() + interval '1 h'`.execute(db))
    expect(await announce()).to.include({ next, ageMs: null })
  })

  it('is another one for a batch that begins long after one was announced that nobody confirmed, and that a copy may have', async () => {
    const { known, next } = (await announce())!
    await index.remark(known, next!)
    await test.store.asSystem(({ db }) =>
      sql`update index_builds set marked_at = marked_at - interval '1 hour'`.execute(db),
    )
    expect(await indexOne()).to.include({ settled: 1 })
    expect(await marks()).to.have.length(1)
    expect(await marks()).to.not.include(next)
    expect(await index.marks()).to.deep.equal(await marks())
  })

  it('is refused to every batch by an index that has another, however soon one comes after the other', async () => {
    await index.remark([build.id], 'of another time')
    for (let batch = 0; batch < 3; batch++) expect(await indexOne()).to.include({ settled: 0, released: 1 })
    expect(await index.marks()).to.deep.equal(['of another time'])
    expect(jobs.outages.search.isOn).to.equal(true)
  })

  it('may be moved on by other processes while a batch is written, which then takes the newest', async () => {
    const { remark } = index
    let moved = 0
    index.remark = async (known, next) => {
      if (moved++ > 0) return remark(known, next)
      await remark(known, next)
      await test.store.asSystem((s) => confirmMark(s, build.id, next))
      await moveOn()
      return remark(known, next)
    }
    expect(await indexOne()).to.include({ settled: 1 })
    expect(moved).to.be.greaterThan(1)
    expect(await index.marks()).to.deep.equal(await marks())
    expect(jobs.outages.search.isOn).to.equal(false)
  })

  it('that Postgres is too far away to confirm is no outage of the engine', async () => {
    let isAway = false
    const { remark } = index
    index.remark = async (known, next) => {
      isAway = true
      return remark(known, next)
    }
    const store = new Proxy(test.store, {
      get(real, name) {
        if (isAway && name === 'asSystem') return () => Promise.reject(new UnavailableError('postgres'))
        const value: unknown = Reflect.get(real, name, real)
        return typeof value === 'function' ? (value as () => unknown).bind(real) : value
      },
    })
    const failure = await indexOne({ ...jobs, store }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(UnavailableError).with.property('dependency', 'postgres')
    expect(jobs.outages.search.isOn).to.equal(false)
  })

  describe('that the watch reads', () => {
    const look = (asked = index) =>
      findForeignMark({ store: test.store }, { buildId: build.id, index: asked }, new AbortController().signal)

    it('may move on several times between what Postgres says and the answer of an engine that has much to do', async () => {
      const { marks } = index
      index.marks = async () => {
        await moveOn()
        const seen = await marks()
        await moveOn()
        await moveOn()
        return seen
      }
      expect(await look()).to.equal(null)
    })

    it('is missing in an index that was emptied or replaced, and another one in an older copy, be it of one shard', async () => {
      const cases: [seen: string[], expected: string | null][] = [
        [[build.id, build.id], null],
        [[''], 'the index was emptied or replaced'],
        [[build.id, ''], 'the index was emptied or replaced'],
        [['foreign'], 'the index and the database are from different points in time'],
        [[build.id, 'older'], 'the index and the database are from different points in time'],
      ]
      const looks = cases.map(([seen]) => look({ ...index, marks: () => Promise.resolve(seen) }))
      expect(await Promise.all(looks)).to.deep.equal(cases.map(([, expected]) => expected))
    })

    it('is the one that it was as soon as one look of three finds it again', async () => {
      const { marks } = index
      let looks = 0
      const flickering = { ...index, marks: async () => (++looks < 3 ? ['foreign'] : marks()) }
      expect([await look(flickering), looks]).to.deep.equal([null, 3])
    })

    it('is another one in a copy, whatever is announced meanwhile', async () => {
      await index.remark([build.id], 'of another time')
      const { marks } = index
      index.marks = async () => {
        await announce()
        return marks()
      }
      expect(await look()).to.equal('the index and the database are from different points in time')
    })
  })

  it('is noted once as lost, and then no batch is kept waiting for it', async () => {
    await test.store.asSystem(({ db }) => sql`update index_builds set lost_at = now()`.execute(db))
    expect(await announce()).to.equal(null)
    expect((await test.store.asSystem((s) => findBuild(s, build.id)))!.lostAt).to.not.equal(null)
  })
})
