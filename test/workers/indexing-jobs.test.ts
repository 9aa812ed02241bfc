import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { fieldValue, timeValue } from '../../domain/filter-values.js'
import type { Embedder } from '../../models/embedder.js'
import { createHttpEmbedder } from '../../models/http-embedder.js'
import { keyTerm, metadataTerm } from '../../search/search-index.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { readIndexingState, retryFailedRows } from '../../store/outbox/outbox-upkeep.js'
import { enqueue } from '../../store/outbox/outbox.js'
import { upsertEntities } from '../../store/entities.js'
import type { PendingKind } from '../../store/schema.js'
import { type JobContext, jobContext } from '../../workers/context.js'
import type { BatchOutcome } from '../../workers/job.js'
import { JOBS } from '../../workers/jobs.js'
import { type EmbeddingsStub, startEmbeddingsStub } from '../support/embeddings-stub.js'
import { createFakeEmbedder } from '../support/fake-embedder.js'
import { changeText, newMemory, remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { until } from '../support/states.js'
import { newJobs, takeBatch, testWorkerContext, type TestWorkerContext } from '../support/worker-context.js'

describe('indexing jobs', () => {
  let test: TestStore
  let context: TestWorkerContext
  let jobs: JobContext
  let tenant: string

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => ({ context, jobs, tenant } = await newJobs(test)))

  const documents = () => context.index.documents(tenant)
  const documentOf = (id: string) => documents().get(id)?.document
  /** Claims due rows of a kind and runs their job; null when nothing is due. */
  async function work(kind: PendingKind = 'memory'): Promise<BatchOutcome | null> {
    const batch = await takeBatch(test, kind)
    if (!batch) return null
    return kind === 'memory' ? JOBS.indexMemories.run(jobs, batch) : JOBS.embedMemories.run(jobs, batch)
  }
  async function workWhenDue(kind: PendingKind): Promise<BatchOutcome> {
    let outcome: BatchOutcome | null = null
    await until('a batch is worked on', async () => expect((outcome = await work(kind))).to.not.equal(null))
    return outcome!
  }
  const stateOf = () => test.store.asSystem((system) => readIndexingState(system, tenant))
  const pendingRows = () =>
    test.store.read({ tenantId: tenant }, ({ db }) =>
      db
        .selectFrom('index_pending')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('settled_at', 'is', null)
        .orderBy('kind')
        .execute(),
    )
  const change = (id: string, content: string) => changeText(test.store, tenant, id, content)
  const remove = (id: string) =>
    test.store.transact({ tenantId: tenant }, (writer) =>
      changeStatus(writer, [id], { from: ['active'], to: 'deleted', at: new Date() }),
    )

  it('writes the whole index document of a memory', async () => {
    const memory = newMemory('Ada ships the parser', {
      title: 'Release',
      fleetId: 'red',
      memoryType: 'decision',
      visibility: 'scope_org',
      runId: 'run-1',
      metadata: {
        team: 'core',
        count: 3,
        done: true,
        none: null,
        nested: { a: 1 },
        list: [1, 'b', 1, [2], {}],
        due: '2026-08-07',
      },
      createdAt: new Date('2026-05-01T00:00:00Z'),
      expiresAt: new Date('2036-01-01T00:00:00Z'),
      validStart: new Date('2026-04-02T00:00:00Z'),
      validEnd: new Date('2026-06-01T00:00:00Z'),
    })
    const entity = await test.store.transact({ tenantId: tenant }, async (writer) => {
      const entityId = (await upsertEntities(writer, ['ada'])).get('ada')!
      const links = ['author', 'owner'].map((role) => ({ entityId, name: 'Ada', role, entityType: null }))
      await insertMemories(writer, [{ ...memory, links }])
      return entityId
    })
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    const document = documentOf(memory.id)!
    expect(document).to.deep.include({
      agentId: 'agent',
      fleetId: 'red',
      visibility: 'scope_org',
      memoryType: 'decision',
      status: 'active',
      runId: 'run-1',
      createdAt: Date.parse('2026-05-01T00:00:00Z'),
      expiresAt: Date.parse('2036-01-01T00:00:00Z'),
      validStart: Date.parse('2026-04-02T00:00:00Z'),
      validEnd: Date.parse('2026-06-01T00:00:00Z'),
      entityIds: [entity],
    })
    expect(document.terms).to.include.members(['ship', 'parser', 'april', '2026'])
    expect(document.metadataTerms).to.have.members([
      keyTerm('team'),
      metadataTerm('team', fieldValue('core')),
      keyTerm('count'),
      metadataTerm('count', fieldValue(3)),
      keyTerm('done'),
      metadataTerm('done', fieldValue(true)),
      metadataTerm('none', fieldValue(null)),
      keyTerm('nested'),
      keyTerm('list'),
      metadataTerm('list', fieldValue(1)),
      metadataTerm('list', fieldValue('b')),
      keyTerm('due'),
      metadataTerm('due', fieldValue('2026-08-07')),
      metadataTerm('due', timeValue(Date.UTC(2026, 7, 7))),
    ])
    expect(document.vector).to.have.length(64)
    expect(await stateOf()).to.deep.equal({ pending: 0, oldestAgeS: null, failed: 0 })
    expect(context.measured.batches).to.deep.equal([1])
  })

  it('writes a tombstone for a deleted memory, and for a purged one', async () => {
    const [deleted, kept] = (await remember(test.store, tenant, 'one', 'two')) as [string, string]
    await work()
    await remove(deleted)
    const gone = randomUUID()
    await test.store.transact({ tenantId: tenant }, (writer) => enqueue(writer, 'memory', [gone]))
    expect(await work()).to.include({ settled: 2 })
    expect(documentOf(deleted)).to.equal(null)
    expect(documentOf(gone)).to.equal(null)
    expect(documentOf(kept)).not.to.equal(null)
  })

  it('keeps a change made while its batch is being written pending, and indexes it next', async () => {
    const [id] = (await remember(test.store, tenant, 'before')) as [string]
    context.index.before = async () => {
      context.index.before = () => Promise.resolve()
      await change(id, 'afterwards')
    }
    expect(await work()).to.include({ settled: 0 })
    expect((await stateOf()).pending).to.equal(1)
    expect(await work()).to.include({ settled: 1 })
    expect(documentOf(id)!.terms).to.include('afterward')
  })

  it('processes a batch twice without harm, and an older one changes nothing', async () => {
    const [id] = (await remember(test.store, tenant, 'first')) as [string]
    const stale = await takeBatch(test)
    await change(id, 'second')
    await work()
    expect(await JOBS.indexMemories.run(jobs, stale!)).to.deep.equal({ settled: 0, failed: 0, released: 0 })
    expect(documentOf(id)!.terms).to.include('second')
  })

  it('requeues the whole batch without an attempt while the engine is unavailable, and finishes later', async () => {
    const ids = await remember(test.store, tenant, 'a1', 'b2', 'c3')
    context.index.isAway = true
    for (let i = 0; i < 10; i++)
      expect(await workWhenDue('memory')).to.deep.equal({ settled: 0, failed: 0, released: 3 })
    expect((await pendingRows()).map((row) => row.attempts)).to.deep.equal([0, 0, 0])
    expect(await stateOf()).to.include({ pending: 3, failed: 0 })
    expect(jobs.outages.search.isOn).to.equal(true)
    context.index.isAway = false
    expect(await workWhenDue('memory')).to.include({ settled: 3 })
    expect([...documents().keys()]).to.have.members(ids)
    expect(jobs.outages.search.isOn).to.equal(false)
  })

  it('settles nothing before the write has resolved', async () => {
    await remember(test.store, tenant, 'slow')
    let pendingDuring = 0
    context.index.before = async () => {
      pendingDuring = (await stateOf()).pending
    }
    await work()
    expect(pendingDuring).to.equal(1)
    expect((await stateOf()).pending).to.equal(0)
  })

  describe('a poisoned row', () => {
    const cases: [string, (id: string) => Promise<void>][] = [
      [
        'that the engine refuses',
        (id) => {
          context.index.refuse = (change) => (change.id === id ? '400 mapper_parsing_exception' : null)
          return Promise.resolve()
        },
      ],
      [
        'that breaks the whole call',
        (id) => {
          context.index.breaksOn = id
          return Promise.resolve()
        },
      ],
      [
        'whose document cannot be built',
        async (id) => {
          await test.store.transact({ tenantId: tenant }, ({ db }) =>
            sql`update memories set expires_at = 'infinity' where id = ${id}`.execute(db),
          )
        },
      ],
    ]
    for (const [what, poison] of cases)
      it(`${what} fails for good after eight attempts of its own, and its neighbours are indexed at once`, async () => {
        const ids = await remember(test.store, tenant, 'one', 'two', 'bad', 'four', 'five')
        const bad = ids[2]!
        await poison(bad)
        expect(await work()).to.deep.equal({ settled: 4, failed: 1, released: 0 })
        expect([...documents().keys()]).to.have.members(ids.filter((id) => id !== bad))
        for (let attempts = 2; attempts <= 8; attempts++) await workWhenDue('memory')
        const [row] = await pendingRows()
        expect(row).to.include({ entity_id: bad, attempts: 8 })
        expect(row!.error).to.be.a('string').that.is.not.empty
        expect(await stateOf()).to.deep.equal({ pending: 0, oldestAgeS: null, failed: 1 })
        expect(await work()).to.equal(null)
      })

    it('is indexed by a retry once its fault is fixed', async () => {
      const [id] = (await remember(test.store, tenant, 'mended')) as [string]
      context.index.refuse = () => 'no'
      for (let attempts = 1; attempts <= 8; attempts++) await workWhenDue('memory')
      context.index.refuse = () => null
      expect(await work()).to.equal(null)
      await test.store.asSystem((system) => retryFailedRows(system, tenant))
      expect(await work()).to.include({ settled: 1 })
      expect(documentOf(id)).to.be.an('object')
    })
  })

  describe('with a remote embedder', () => {
    it('embeds a text once, stores its vector, and reads it again for another memory with the same text', async () => {
      await remember(test.store, tenant, 'same text')
      await work()
      const twin = newMemory('same text', { agentId: 'other' })
      await test.store.transact({ tenantId: tenant }, (writer) => insertMemories(writer, [twin]))
      await work()
      expect(context.embedder.texts).to.deep.equal(['same text'])
      expect(documentOf(twin.id)!.vector).to.have.length(64)
    })

    it('indexes without vectors while it is unavailable, and adds the vectors later', async () => {
      const ids = await remember(test.store, tenant, 'quick fox', 'lazy dog')
      context.embedder.isAway = true
      expect(await work()).to.deep.equal({ settled: 2, failed: 0, released: 0 })
      expect(ids.map((id) => documentOf(id)!.vector)).to.deep.equal([null, null])
      expect(await stateOf()).to.include({ pending: 0, failed: 0 })
      expect(await workWhenDue('vector')).to.deep.equal({ settled: 0, failed: 0, released: 2 })
      expect((await pendingRows()).map((row) => [row.kind, row.attempts])).to.deep.equal([
        ['vector', 0],
        ['vector', 0],
      ])
      context.embedder.isAway = false
      await until('every memory has its vector', async () => {
        await work('vector')
        return ids.every((id) => documentOf(id)!.vector !== null)
      })
      expect(await pendingRows()).to.deep.equal([])
    })

    it('writes the vector of the newest text, whichever of the two jobs comes last', async () => {
      const [id] = (await remember(test.store, tenant, 'old words')) as [string]
      context.embedder.isAway = true
      await work()
      context.embedder.isAway = false
      await change(id, 'new words')
      const ofMemory = await takeBatch(test)
      await workWhenDue('vector')
      await JOBS.indexMemories.run(jobs, ofMemory!)
      const document = documentOf(id)!
      expect(document.terms).to.include('new')
      const [vector] = await createFakeEmbedder().embed(['new words'], 'passage')
      expect(document.vector).to.deep.equal(vector)
    })

    it('does not resurrect a memory that was deleted before its vector was written', async () => {
      const [id] = (await remember(test.store, tenant, 'short lived')) as [string]
      context.embedder.isAway = true
      await work()
      context.embedder.isAway = false
      await remove(id)
      expect(await workWhenDue('vector')).to.include({ settled: 1 })
      await work()
      expect(documentOf(id)).to.equal(null)
    })

    it('indexes the words of a text that the embedder refuses, and only its vector fails', async () => {
      const [bad, good] = (await remember(test.store, tenant, 'bad text', 'good text')) as [string, string]
      context.embedder.poison = 'bad text'
      expect(await work()).to.deep.equal({ settled: 2, failed: 0, released: 0 })
      expect(documentOf(bad)!.vector).to.equal(null)
      expect(documentOf(good)!.vector).to.have.length(64)
      for (let attempts = 1; attempts <= 8; attempts++) expect(await workWhenDue('vector')).to.include({ failed: 1 })
      expect(await stateOf()).to.deep.equal({ pending: 0, oldestAgeS: null, failed: 1 })
    })

    describe('behind an endpoint', () => {
      let stub: EmbeddingsStub
      let embedder: Embedder
      beforeEach(async () => {
        stub = await startEmbeddingsStub({ refuses: (text) => text.startsWith('too long') })
        embedder = await createHttpEmbedder({ url: stub.url, model: 'stub', dimensions: 64, retries: 0 })
        context = testWorkerContext(test, { embedder })
        jobs = jobContext(context)
      })
      afterEach(async () => {
        await embedder.close()
        await stub.stop()
      })

      it('counts a refused text as the fault of its row, and its neighbours get their vectors at once', async () => {
        const ids = await remember(test.store, tenant, 'one', 'two', 'too long', 'four', 'five')
        const bad = ids[2]!
        expect(await work()).to.deep.equal({ settled: 5, failed: 0, released: 0 })
        expect(ids.filter((id) => documentOf(id)!.vector === null)).to.deep.equal([bad])
        for (let attempts = 1; attempts <= 8; attempts++) expect(await workWhenDue('vector')).to.include({ failed: 1 })
        expect(await stateOf()).to.deep.equal({ pending: 0, oldestAgeS: null, failed: 1 })
        expect((await pendingRows())[0]).to.include({ entity_id: bad, error: 'ModelCallError refused' })
      })

      it('counts its death as nobody’s fault', async () => {
        await remember(test.store, tenant, 'one', 'too long')
        await stub.stop()
        expect(await work()).to.deep.equal({ settled: 2, failed: 0, released: 0 })
        expect(await workWhenDue('vector')).to.deep.equal({ settled: 0, failed: 0, released: 2 })
        expect((await pendingRows()).map(({ attempts }) => attempts)).to.deep.equal([0, 0])
      })
    })

    it('requeues vectors without an attempt while the engine is unavailable', async () => {
      await remember(test.store, tenant, 'waits for both')
      context.embedder.isAway = true
      await work()
      context.embedder.isAway = false
      context.index.isAway = true
      expect(await workWhenDue('vector')).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      expect((await pendingRows())[0]).to.include({ kind: 'vector', attempts: 0 })
    })
  })

  it('never stores a zero vector in the index', async () => {
    const [id] = (await remember(test.store, tenant, '…')) as [string]
    expect(await work()).to.include({ settled: 1 })
    expect(documentOf(id)!.vector).to.equal(null)
    expect(await pendingRows()).to.deep.equal([])
  })

  it('embeds in this process, without storing vectors, when that is as cheap as reading them', async () => {
    context = testWorkerContext(test, { embedder: createFakeEmbedder({ inline: true }) })
    jobs = jobContext(context)
    const [id] = (await remember(test.store, tenant, 'inline')) as [string]
    await work()
    expect(documentOf(id)!.vector).to.have.length(64)
    const kept = await test.store.read({ tenantId: tenant }, ({ db }) => db.selectFrom('vectors').selectAll().execute())
    expect(kept).to.deep.equal([])
  })
})
