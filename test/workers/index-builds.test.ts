import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { decodeText } from '../../domain/ranking/text-bytes.js'
import { ConflictError, UnavailableError } from '../../runtime/errors.js'
import { dropBuild, findBuild, listLiveBuilds, switchTo, type IndexBuild } from '../../store/indexing/index-builds.js'
import { beginErasure, eraseBatch, forgetMentions } from '../../store/erasure/erasures.js'
import { markBuildLost } from '../../store/indexing/index-marks.js'
import { releaseOrphanedBuildLeases, claimBuild } from '../../store/indexing/index-backfill.js'
import { changeStatus } from '../../store/memories/change-status.js'
import type { ClaimedBatch } from '../../store/outbox/outbox-claim.js'
import type { PendingKind } from '../../store/schema.js'
import { type JobContext, jobContext } from '../../workers/context.js'
import { fillIndexBuild } from '../../workers/index-builds/fill-index-build.js'
import { removeIndexBuild } from '../../workers/index-builds/remove-index-build.js'
import { JOBS } from '../../workers/jobs.js'
import { createFakeEmbedder, type FakeEmbedder } from '../support/fake-embedder.js'
import { createTestIndexes, type TestIndexes } from '../support/index-builds.js'
import { changeText, remember } from '../support/memories.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { takeBatch, testWorkerContext } from '../support/worker-context.js'

describe('a second index', () => {
  let test: TestStore
  let embedder: FakeEmbedder
  let other: FakeEmbedder
  let indexes: TestIndexes
  let jobs: JobContext
  let first: IndexBuild
  const tenant = 'harbour'
  const going = new AbortController().signal

  beforeEach(async () => {
    test = await createTestStore()
    embedder = createFakeEmbedder()
    other = createFakeEmbedder({ id: 'other-embedder' })
    indexes = createTestIndexes(test, embedder)
    jobs = jobContext(testWorkerContext(test, { indexes, indexing: { leaseMs: 100 } }))
    first = await indexes.first()
  })
  afterEach(() => test.stop())

  const stateOf = async ({ id }: IndexBuild) => (await test.store.asSystem((s) => findBuild(s, id)))!.state
  const held = (build: IndexBuild, ofTenant = tenant) =>
    [...indexes.indexOf(build).documents(ofTenant)].flatMap(([id, { document }]) => (document ? [id] : [])).sort()
  const textOf = (build: IndexBuild, id: string) => indexes.indexOf(build).documents(tenant).get(id)?.document?.terms
  const take = (kind?: PendingKind, leaseMs?: number) => takeBatch(test, kind, { leaseMs })
  async function indexAll(): Promise<void> {
    for (let batch = await take(); batch; batch = await take()) await JOBS.indexMemories.run(jobs, batch)
  }
  const fill = () => fillIndexBuild(jobs, going)
  const change = (id: string, content: string) => changeText(test.store, tenant, id, content)
  const remove = (id: string) =>
    test.store.transact({ tenantId: tenant }, (writer) =>
      changeStatus(writer, [id], { from: ['active'], to: 'deleted', at: new Date() }),
    )
  /** Begins the build, past the leases that were taken before. */
  async function beginAndFill(...given: Parameters<TestIndexes['begin']>): Promise<IndexBuild> {
    const build = await indexes.begin(...given)
    await allowBackfill(build)
    await fill()
    return build
  }
  /** Makes the index appear to have been created before every claim. */
  const allowBackfill = ({ id }: IndexBuild) =>
    test.store.asSystem(({ db }) =>
      sql`update index_builds set made_at = made_at - interval '1 hour' where id = ${id}`.execute(db),
    )

  it('is filled with every live memory of every tenant, in the vectors of its own model', async () => {
    const [a, b, gone] = await remember(test.store, tenant, 'one', 'two', 'three')
    await remember(test.store, 'another', 'four')
    await remove(gone!)
    await indexAll()
    const build = await beginAndFill(other)
    expect(await stateOf(build)).to.equal('ready')
    expect(held(build)).to.deep.equal([a, b].sort())
    expect(held(build, 'another')).to.have.length(1)
    const document = (of: IndexBuild) => indexes.indexOf(of).documents(tenant).get(a!)!.document!
    expect(document(build).vector).to.have.length(64)
    expect(other.texts.sort()).to.deep.equal(['four', 'one', 'two'])
    expect({ ...document(build), vector: null }).to.deep.equal({ ...document(first), vector: null })
    const { rows: places } = await test.store.asSystem(({ db }) =>
      sql`select distinct last_id, until_id from index_build_tenants`.execute(db),
    )
    const nobody = '00000000-0000-0000-0000-000000000000'
    expect(places).to.deep.equal([{ last_id: nobody, until_id: nobody }])
  })

  it('is filled together with what ranking reads of each text, in place of what an earlier analysis stored', async () => {
    const [a, b] = await remember(test.store, tenant, 'one', 'two')
    await indexAll()
    await test.store.asSystem(({ db }) => sql`delete from analysed_texts where memory_id = ${b}`.execute(db))
    const old = Buffer.from('an earlier format')
    await test.store.asSystem(({ db }) => sql`update analysed_texts set bytes = ${old}`.execute(db))
    const analysed = async () => {
      const rows = await test.store.asSystem(({ db }) =>
        db.selectFrom('analysed_texts').select(['memory_id', 'model', 'bytes']).orderBy('memory_id').execute(),
      )
      return rows.map(({ memory_id: id, model, bytes }) => [id, model, decodeText(new Uint8Array(bytes)) !== null])
    }
    expect(await analysed()).to.deep.equal([[a, embedder.id, false]])
    await beginAndFill()
    expect(await analysed()).to.deep.equal([a, b].sort().map((id) => [id, embedder.id, true]))
  })

  it('has what ranking reads of each text that is written beside it, and so has the first', async () => {
    await indexes.begin(other)
    const [id] = await remember(test.store, tenant, 'one')
    await indexAll()
    const rows = await test.store.asSystem(({ db }) =>
      db.selectFrom('analysed_texts').select(['memory_id', 'model']).orderBy('model').execute(),
    )
    expect(rows).to.deep.equal([embedder.id, other.id].sort().map((model) => ({ memory_id: id, model })))
  })

  it('continues from its cursor when the memory there is erased, and the newest of its tenant with it', async () => {
    const [a, b, c, d] = (await remember(test.store, tenant, 'one', 'two', 'three', 'four')) as [string, ...string[]]
    await indexAll()
    const build = await indexes.begin()
    await allowBackfill(build)
    await test.store.asSystem(({ db }) =>
      sql`insert into index_build_tenants (build_id, tenant_id, last_id, until_id) values (${build.id}, ${tenant}, ${b}, ${d})`.execute(
        db,
      ),
    )
    await test.store.transact({ tenantId: tenant }, async (writer) => {
      const selector = { memoryIds: [b!, d!] }
      const { id: erasureId } = await beginErasure(writer, { id: randomUUID(), at: new Date(), selector })
      const { ids } = await eraseBatch(writer, selector, { erasureId, at: new Date(), limit: 10 })
      await forgetMentions(writer, ids)
    })
    const { rows } = await test.store.asSystem(({ db }) =>
      sql`select last_id, until_id from index_build_tenants`.execute(db),
    )
    expect(rows).to.deep.equal([{ last_id: a, until_id: c }])
    await indexAll()
    // Rows that have just settled may explain a difference: removes them.
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    await fill()
    // What it had filled is missing, so the count is wrong and the tenant is filled again.
    expect(await stateOf(build)).to.equal('ready')
    expect(held(build)).to.deep.equal([a, c])
  })

  it('takes every change from its beginning on, filled or not, and so does the first', async () => {
    const [old] = await remember(test.store, tenant, 'old')
    await indexAll()
    const build = await indexes.begin()
    const [written] = await remember(test.store, tenant, 'written')
    await change(old!, 'changed')
    await indexAll()
    for (const one of [first, build]) {
      expect(held(one)).to.deep.equal([old, written].sort())
      expect(textOf(one, old!)).to.include('chang')
    }
    await remove(written!)
    await indexAll()
    for (const one of [first, build]) expect(held(one)).to.deep.equal([old])
  })

  it('keeps a change or a deletion made during a page of its backfill', async () => {
    const [changed, deleted, still] = await remember(test.store, tenant, 'aaa', 'bbb', 'ccc')
    await indexAll()
    const build = await indexes.begin()
    await allowBackfill(build)
    let isDone = false
    indexes.indexOf(build).before = async () => {
      if (isDone) return
      isDone = true
      await change(changed!, 'newer')
      await remove(deleted!)
      await indexAll()
    }
    await fill()
    expect(await stateOf(build)).to.equal('ready')
    expect(held(build)).to.deep.equal([changed, still].sort())
    expect(textOf(build, changed!)).to.include('newer')
  })

  it('settles a row only when both have it', async () => {
    const build = await indexes.begin()
    await remember(test.store, tenant, 'written')
    indexes.indexOf(build).isAway = true
    const outcome = await JOBS.indexMemories.run(jobs, (await take())!)
    expect(outcome).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    expect(held(first)).to.have.length(1)
    indexes.indexOf(build).isAway = false
    await until('the build has the memory', async () => (await indexAll(), held(build).length === 1))
    const pending = await test.store.asSystem(({ db }) =>
      db.selectFrom('index_pending').selectAll().where('settled_at', 'is', null).execute(),
    )
    expect(pending).to.deep.equal([])
  })

  it('does not delay the first once it is dropped, even in the middle of a batch', async () => {
    const build = await indexes.begin()
    await remember(test.store, tenant, 'written')
    const second = indexes.indexOf(build)
    second.before = async () => {
      await test.store.asSystem((s) => dropBuild(s, build.id))
      second.isAway = true
      throw new UnavailableError('search')
    }
    expect(await JOBS.indexMemories.run(jobs, (await take())!)).to.deep.equal({ settled: 1, failed: 0, released: 0 })
  })

  it('delays its backfill for rows that were claimed before it, and for no others', async () => {
    await remember(test.store, tenant, 'claimed before')
    const before = await take('memory', 4_000)
    const build = await indexes.begin()
    await fill()
    expect(await stateOf(build)).to.equal('waiting')
    await JOBS.indexMemories.run(jobs, before!)
    await remember(test.store, tenant, 'claimed later')
    await take('memory', 60_000)
    await fill()
    expect(await stateOf(build)).to.equal('ready')
  })

  it('is filled by another process from where the first one died', async () => {
    const ids = await remember(test.store, tenant, ...Array.from({ length: 800 }, (_, i) => `text ${i}`))
    const build = await indexes.begin()
    await allowBackfill(build)
    const index = indexes.indexOf(build)
    const died = gate()
    let writes = 0
    index.before = async () => {
      // In its third page the process dies.
      if (++writes <= 2) return
      died.open()
      await new Promise(() => undefined)
    }
    void fill()
    await died.opened
    await test.store.asSystem(releaseOrphanedBuildLeases)
    const place = async () =>
      (await test.store.asSystem(({ db }) => db.selectFrom('index_build_tenants').selectAll().execute()))[0]!
    expect(await place()).to.include({ rows_done: 500, finished_at: null })
    index.before = () => Promise.resolve()
    const from = index.calls.length
    // The row of the build may be locked for a moment, by the mark of what the first one wrote.
    await until('the build is ready', async () => {
      await fill()
      return (await stateOf(build)) === 'ready'
    })
    expect(held(build)).to.deep.equal([...ids].sort())
    expect(index.calls.slice(from).reduce((sum, { size }) => sum + size, 0)).to.equal(300)
  })

  it('is filled to its end though writes never stop', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    const build = await indexes.begin()
    await allowBackfill(build)
    let pages = 0
    indexes.indexOf(build).before = async () => {
      if (++pages > 20) throw new Error('chases what is written meanwhile')
      await remember(test.store, tenant, `written meanwhile ${pages}`)
    }
    await fill()
    expect(await stateOf(build)).to.equal('ready')
    expect(pages).to.equal(1)
  })

  it('is left alone by a process whose lease has expired', async () => {
    await remember(test.store, tenant, ...Array.from({ length: 600 }, (_, i) => `text ${i}`))
    const build = await indexes.begin()
    await allowBackfill(build)
    let pages = 0
    indexes.indexOf(build).before = async () => {
      if (++pages > 1) return
      await test.store.asSystem(releaseOrphanedBuildLeases)
      // The row of the build may be locked for a moment, by the mark of what is written.
      await until('the build can be claimed', async () =>
        expect(await test.store.asSystem((s) => claimBuild(s, 'fill'))).to.not.equal(null),
      )
    }
    await fill()
    const [place] = await test.store.asSystem(({ db }) => db.selectFrom('index_build_tenants').selectAll().execute())
    expect(place).to.include({ rows_done: 0, finished_at: null })
    expect(pages).to.equal(1)
    expect(await stateOf(build)).to.equal('backfilling')
  })

  it('waits for its embedder, and reports so', async () => {
    await remember(test.store, tenant, 'one')
    await indexAll()
    other.isAway = true
    const build = await beginAndFill(other)
    expect((await test.store.asSystem((s) => findBuild(s, build.id)))!).to.include({
      state: 'backfilling',
      error: 'the embedder is unavailable',
    })
    other.isAway = false
    await until('the build is ready', async () => (await fill(), (await stateOf(build)) === 'ready'))
    expect(held(build)).to.have.length(1)
  })

  it('is filled in the place of a lost one without the vectors that are not to be had, and these follow', async () => {
    const [known] = await remember(test.store, tenant, 'known')
    await indexAll()
    embedder.isAway = true
    const [late, locked] = await remember(test.store, tenant, 'late', 'locked')
    await indexAll()
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    await test.store.asSystem((s) => markBuildLost(s, first.id, 'the index is missing'))
    const build = await test.store.transact({ tenantId: tenant }, async ({ db }) => {
      await sql`select from memories where id = ${locked} for update`.execute(db)
      return beginAndFill(embedder, true)
    })
    expect(await stateOf(build)).to.equal('serving')
    const vectorOf = (id?: string) => indexes.indexOf(build).documents(tenant).get(id!)!.document!.vector
    expect([known, late, locked].map((id) => vectorOf(id) !== null)).to.deep.equal([true, false, false])
    const pending = await test.store.asSystem(({ db }) =>
      db.selectFrom('index_pending').select(['kind', 'entity_id']).orderBy('kind').execute(),
    )
    // What somebody else has locked is read again once they are done with it.
    expect(pending).to.deep.equal([
      { kind: 'memory', entity_id: locked },
      { kind: 'vector', entity_id: late },
    ])
    embedder.isAway = false
    await until('both kinds of batches are processed', async () => {
      const batch = (await take()) ?? (await take('vector'))
      if (batch) await (batch.kind === 'vector' ? JOBS.embedMemories : JOBS.indexMemories).run(jobs, batch)
      return vectorOf(late) !== null && vectorOf(locked) !== null
    })
  })

  it('is given the vectors of what changed while its embedder was away, and the first is not held up', async () => {
    const build = await indexes.begin(other)
    other.isAway = true
    const [id] = await remember(test.store, tenant, 'changed meanwhile')
    await indexAll()
    const vectorIn = (one: IndexBuild) => indexes.indexOf(one).documents(tenant).get(id!)!.document!.vector
    expect([vectorIn(first) === null, vectorIn(build) === null]).to.deep.equal([false, true])
    other.isAway = false
    let batch: ClaimedBatch | undefined
    await until('a batch of vectors is claimed', async () =>
      expect((batch = await take('vector'))).to.not.equal(undefined),
    )
    expect(await JOBS.embedMemories.run(jobs, batch!)).to.include({ settled: 1, released: 0 })
    expect(vectorIn(build)).to.not.equal(null)
  })

  it('leaves refused rows to the indexing jobs, where attempts are counted', async () => {
    const [bad, good] = await remember(test.store, tenant, 'bad', 'good')
    await indexAll()
    const build = await indexes.begin()
    await allowBackfill(build)
    indexes.indexOf(build).refuse = ({ id }) => (id === bad ? 'cannot take this' : null)
    await fill()
    expect(held(build)).to.deep.equal([good])
    expect(await stateOf(build)).to.equal('ready')
    expect((await JOBS.indexMemories.run(jobs, (await take())!)).failed).to.equal(1)
  })

  it('is filled again when its count is wrong, and has failed after the third time', async () => {
    const ids = await remember(test.store, tenant, 'one', 'two')
    await indexAll()
    const build = await indexes.begin()
    await allowBackfill(build)
    const index = indexes.indexOf(build)
    let losses = 1
    const real = index.for
    index.for = (tenantId) => ({
      ...real(tenantId),
      count: async () => {
        if (losses-- > 0) index.documents(tenant).delete(ids[0]!)
        return real(tenantId).count()
      },
    })
    await fill()
    expect(await stateOf(build)).to.equal('ready')
    expect(held(build)).to.deep.equal([...ids].sort())

    await test.store.asSystem((s) => dropBuild(s, build.id))
    const next = await indexes.begin()
    await allowBackfill(next)
    indexes.indexOf(next).for = (tenantId) => ({ ...real(tenantId), count: () => Promise.resolve(99) })
    await fill()
    const failed = (await test.store.asSystem((s) => findBuild(s, next.id)))!
    expect(failed).to.include({ state: 'failed', error: 'tenant harbour: the index holds 99 of 2 memories' })
    expect((await indexes.targets()).map(({ buildId }) => buildId)).to.deep.equal([first.id])
  })

  it('is switched to by itself when it was begun so, and the first is kept', async () => {
    const build = await beginAndFill(embedder, true)
    expect([await stateOf(build), await stateOf(first)]).to.deep.equal(['serving', 'kept'])
  })

  it('is switched to and back, and both hold changes made in between', async () => {
    const build = await beginAndFill(other)
    const [a] = await remember(test.store, tenant, 'before the switch')
    await indexAll()
    await test.store.asSystem((s) => switchTo(s, build.id))
    expect((await indexes.targets()).map(({ buildId }) => buildId)).to.deep.equal([build.id, first.id])
    const [b] = await remember(test.store, tenant, 'after the switch')
    await indexAll()
    await test.store.asSystem((s) => switchTo(s, first.id))
    expect([await stateOf(build), await stateOf(first)]).to.deep.equal(['kept', 'serving'])
    for (const one of [first, build]) expect(held(one)).to.deep.equal([a, b].sort())
  })

  it('cannot be switched to before it is ready, nor a second be built beside it', async () => {
    const build = await indexes.begin()
    const refusals = await Promise.all([
      test.store.asSystem((s) => switchTo(s, build.id)).catch((error: unknown) => error),
      indexes.begin().catch((error: unknown) => error),
      test.store.asSystem((s) => dropBuild(s, first.id)).catch((error: unknown) => error),
      test.store.asSystem((s) => switchTo(s, first.id)).catch((error: unknown) => error),
      test.store.asSystem((s) => switchTo(s, randomUUID())).catch((error: unknown) => error),
    ])
    for (const refusal of refusals) expect(refusal).to.be.instanceOf(ConflictError)
    expect((refusals[1] as ConflictError).details).to.deep.equal({ existing_id: build.id })
    expect(await test.store.asSystem(listLiveBuilds)).to.have.length(2)
    await test.store.asSystem(({ db }) =>
      db.updateTable('index_builds').set({ state: 'backfilling' }).where('id', '=', build.id).execute(),
    )
    const refusal = await test.store.asSystem((s) => switchTo(s, build.id)).catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(ConflictError)
  })

  it('leaves the vectors of its model when it is removed, while another index has that model', async () => {
    await remember(test.store, tenant, 'one', 'two')
    await indexAll()
    const build = await beginAndFill(embedder, true)
    await test.store.asSystem((s) => dropBuild(s, first.id))
    await test.store.asSystem(({ db }) =>
      sql`update index_builds set dropped_at = dropped_at - interval '10 s' where id = ${first.id}`.execute(db),
    )
    await removeIndexBuild(jobs, going)
    expect([await stateOf(first), await stateOf(build)]).to.deep.equal(['dropped', 'serving'])
    const vectors = await test.store.asSystem(({ db }) => db.selectFrom('vectors').select('model').execute())
    expect(vectors.map(({ model }) => model)).to.deep.equal([embedder.id, embedder.id])
  })

  it('is begun once by many concurrent attempts', async () => {
    const begun = await Promise.all(
      Array.from({ length: 6 }, () =>
        indexes.begin().then(
          () => 'begun',
          () => 'refused',
        ),
      ),
    )
    expect(begun.filter((outcome) => outcome === 'begun')).to.have.length(1)
  })

  it('that is kept is dropped when the next is begun, with vectors that no index needs any more', async () => {
    const texts = ['one', 'two']
    await remember(test.store, tenant, ...texts)
    await indexAll()
    const build = await beginAndFill(other, true)
    const models = async () =>
      (await test.store.asSystem(({ db }) => db.selectFrom('vectors').select('model').execute())).map(
        ({ model }) => model,
      )
    expect((await models()).sort()).to.deep.equal([embedder.id, embedder.id, other.id, other.id].sort())
    const next = await indexes.begin(other)
    expect(await stateOf(first)).to.equal('dropping')
    await removeIndexBuild(jobs, going)
    expect(indexes.removed).to.deep.equal([])
    await test.store.asSystem(({ db }) =>
      sql`update index_builds set dropped_at = dropped_at - interval '10 s' where id = ${first.id}`.execute(db),
    )
    await removeIndexBuild(jobs, going)
    expect(indexes.removed).to.deep.equal([first.id])
    expect(await stateOf(first)).to.equal('dropped')
    expect(await models()).to.deep.equal([other.id, other.id])
    expect([await stateOf(build), await stateOf(next)]).to.deep.equal(['serving', 'waiting'])
  })
})
