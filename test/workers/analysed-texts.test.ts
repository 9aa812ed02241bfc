import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { decodeText } from '../../domain/ranking/text-bytes.js'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { createPieceSpace, type PieceSpace } from '../../models/piece-space.js'
import { createStaticEmbedder } from '../../models/static-embedder.js'
import type { Embedder } from '../../models/embedder.js'
import { AnalysedMemories } from '../../services/retrieval/memories/analysed-memories.js'
import { beginErasure, eraseBatch } from '../../store/erasure/erasures.js'
import { storeAnalysedTexts } from '../../store/indexing/analysed-texts.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { readCandidates } from '../../store/memories/recall-rows.js'
import { jobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import { createFakeEmbedder } from '../support/fake-embedder.js'
import { changeText, newMemory, remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { takeBatch, testWorkerContext } from '../support/worker-context.js'

describe('analysed texts', () => {
  let test: TestStore
  let space: PieceSpace
  let builtIn: Embedder
  let tenantId: string
  const signal = new AbortController().signal

  before(async () => {
    test = await createTestStore()
    space = await createPieceSpace()
    builtIn = await createStaticEmbedder()
  })
  beforeEach(async () => {
    tenantId = randomUUID()
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
  })
  after(async () => {
    await builtIn.close()
    await test.stop()
  })

  async function indexAll(embedder = builtIn): Promise<void> {
    const jobs = jobContext(testWorkerContext(test, { pieceSpace: space, embedder }))
    for (let batch = await takeBatch(test); batch; batch = await takeBatch(test))
      await JOBS.indexMemories.run(jobs, batch)
  }

  /** Reads the texts as the first recall of a process, and says where they came from. */
  async function recall(ids: readonly string[], embedder = builtIn) {
    const sources: Record<string, number> = {}
    const recallTexts = (source: string, count: number) => void (sources[source] = count)
    const filter = {
      audience: { kind: 'own', agentId: 'agent' },
      now: Date.parse('2026-05-02'),
      statuses: RECALL_STATUSES,
    } as const
    const analysed = new AnalysedMemories(embedder, space, { maxBytes: 1e6, metrics: { recallTexts } })
    const { texts } = await test.store.read({ tenantId }, async (reader) => {
      const { found: rows } = await readCandidates(reader, filter, ids, { sources: [], entityIds: [] })
      return analysed.textsOf((work) => work(reader), filter, rows, [], signal)
    })
    return { texts: new Map([...texts].map(([id, { expiresAt: _, ...memory }]) => [id, memory])), sources }
  }

  const stored = (ids: readonly string[]) =>
    test.store.read({ tenantId }, ({ db }) =>
      db
        .selectFrom('analysed_texts')
        .select(['memory_id', 'version', 'bytes'])
        .where('memory_id', 'in', ids)
        .orderBy('memory_id')
        .execute(),
    )

  const contents = ['Ana: the pump failed on 3 May, did it?', 'the valve v2 holds', '…']

  it('are stored with the index, so that recalls analyse only what is not indexed yet', async () => {
    const ids = await remember(test.store, tenantId, ...contents)
    const before = await recall(ids)
    expect(before.sources).to.deep.equal({ cached: 0, stored: 0, analysed: 3 })
    await indexAll()
    const [late] = await remember(test.store, tenantId, 'late')
    const after = await recall([...ids, late!])
    expect(after.sources).to.deep.equal({ cached: 0, stored: 3, analysed: 1 })
    for (const id of ids) expect(after.texts.get(id)).to.deep.equal(before.texts.get(id))
  })

  it('have the title and the validity of their memory', async () => {
    const memory = newMemory('the pump is frozen', {
      title: 'A freeze',
      validStart: new Date('2026-03-01T00:00:00Z'),
      validEnd: new Date('2026-04-01T00:00:00Z'),
    })
    await test.store.transact({ tenantId }, (writer) => insertMemories(writer, [memory]))
    const before = await recall([memory.id])
    await indexAll()
    const after = await recall([memory.id])
    expect([before.sources.analysed, after.sources.stored]).to.deep.equal([1, 1])
    expect(after.texts).to.deep.equal(before.texts)
    const { at, until } = after.texts.get(memory.id)!.text
    expect([at, until]).to.deep.equal([memory.validStart!.getTime(), memory.validEnd!.getTime()])
  })

  it('are those of the present text', async () => {
    const [id] = await remember(test.store, tenantId, 'a heron')
    await indexAll()
    await changeText(test.store, tenantId, id!, 'an egret')
    const changed = await recall([id!])
    expect(changed.sources).to.deep.equal({ cached: 0, stored: 0, analysed: 1 })
    await indexAll()
    const indexed = await recall([id!])
    expect(indexed.sources).to.deep.equal({ cached: 0, stored: 1, analysed: 0 })
    expect(indexed.texts).to.deep.equal(changed.texts)
  })

  it('are not stored of a version that is gone, nor for a memory that is not there', async () => {
    const [id] = await remember(test.store, tenantId, 'a heron')
    const bytes = new Uint8Array(1)
    const given = [
      { memoryId: id!, version: 2, model: 'm', bytes },
      { memoryId: randomUUID(), version: 1, model: 'm', bytes },
    ]
    await test.store.transact({ tenantId }, (writer) => storeAnalysedTexts(writer, given))
    expect(await stored(given.map(({ memoryId }) => memoryId))).to.deep.equal([])
    await test.store.transact({ tenantId }, (writer) => storeAnalysedTexts(writer, [{ ...given[0]!, version: 1 }]))
    expect(await stored([id!])).to.have.length(1)
  })

  it('go with a memory that is deleted or erased, and no other', async () => {
    const [deleted, erased, kept] = await remember(test.store, tenantId, 'one', 'two', 'three')
    await indexAll()
    expect(await stored([deleted!, erased!, kept!])).to.have.length(3)
    await test.store.transact({ tenantId }, async (writer) => {
      await changeStatus(writer, [deleted!], { from: ['active'], to: 'deleted', at: new Date() })
      const selector = { memoryIds: [erased!] }
      const { id: erasureId } = await beginErasure(writer, { id: randomUUID(), at: new Date(), selector })
      await eraseBatch(writer, selector, { erasureId, at: new Date(), limit: 10 })
    })
    await indexAll()
    expect((await stored([deleted!, erased!, kept!])).map((row) => row.memory_id)).to.deep.equal([kept])
  })

  it('get their vector once the embedder answers', async () => {
    const embedder = createFakeEmbedder()
    embedder.isAway = true
    const [id] = await remember(test.store, tenantId, 'a heron')
    await indexAll(embedder)
    expect((await recall([id!], embedder)).texts.get(id!)!.text.vector).to.equal(null)
    embedder.isAway = false
    await test.store.asSystem(({ db }) => sql`update index_pending set due_at = now()`.execute(db))
    const jobs = jobContext(testWorkerContext(test, { pieceSpace: space, embedder }))
    const batch = await takeBatch(test, 'vector')
    await JOBS.embedMemories.run(jobs, batch!)
    const { texts, sources } = await recall([id!], embedder)
    expect(texts.get(id!)!.text.vector!.bytes).to.have.length(64)
    expect(sources).to.deep.equal({ cached: 0, stored: 1, analysed: 0 })
  })

  it('are those of the embedder that recalls ask, not of another', async () => {
    const [id] = await remember(test.store, tenantId, 'a heron')
    await indexAll(builtIn)
    const other = createFakeEmbedder()
    const { texts, sources } = await recall([id!], other)
    expect(sources).to.deep.equal({ cached: 0, stored: 0, analysed: 1 })
    expect(texts.get(id!)!.text.vector).to.equal(null)
    expect((await recall([id!], builtIn)).texts.get(id!)!.text.vector!.bytes).to.have.length(builtIn.dimensions)
  })

  it('of another format are analysed again', async () => {
    const [id] = await remember(test.store, tenantId, 'a heron')
    await indexAll()
    const [row] = await stored([id!])
    const bytes = new Uint8Array(row!.bytes)
    expect(decodeText(bytes)).to.not.equal(null)
    bytes[0]! ^= 1
    await test.store.transact({ tenantId }, (writer) =>
      storeAnalysedTexts(writer, [{ memoryId: id!, version: 1, model: builtIn.id, bytes }]),
    )
    const { texts, sources } = await recall([id!])
    expect([texts.size, sources]).to.deep.equal([1, { cached: 0, stored: 0, analysed: 1 }])
  })
})
