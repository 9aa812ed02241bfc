import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { Slices } from '../../runtime/slices.js'
import { COMPARED_LIST, LONG_LIST } from '../../domain/documents/members.js'
import { fieldValue, type Scalar, timeValue } from '../../domain/filter-values.js'
import { analyse } from '../../domain/text/analysis.js'
import { documentLanguage, documentTextHash } from '../../domain/documents/text.js'
import {
  collectionTerm,
  docIdTerm,
  keyTerm,
  languageTerm,
  memberTerm,
  metadataTerm,
  UNLISTED_TERM,
  updateTerm,
} from '../../search/search-index.js'
import { readLiveDocuments } from '../../store/indexing/indexed-documents.js'
import { insertDocuments, deleteDocument } from '../../store/documents/write-documents.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { JobContext } from '../../workers/context.js'
import type { BatchOutcome } from '../../workers/job.js'
import { DOCUMENTS } from '../../workers/indexing/sources.js'
import { JOBS } from '../../workers/jobs.js'
import { until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { newJobs, takeBatch, type TestWorkerContext } from '../support/worker-context.js'

const DATA = { title: 'Night shift', body: { steps: ['call Ana', 'restart'] }, tier: 2, tags: ['a'], open: null }

const NIL = '00000000-0000-0000-0000-000000000000'

describe('jobs of documents', () => {
  let test: TestStore
  let context: TestWorkerContext
  let jobs: JobContext
  let tenant: string

  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(async () => ({ context, jobs, tenant } = await newJobs(test)))

  const entryOf = (id: string) => context.index.documents(tenant, 'documents').get(id)
  const rowOf = (docId: string, data: object) => ({
    id: randomUUID(),
    collection: 'runbooks',
    docId,
    fleetId: 'red',
    data: data as Record<string, unknown>,
    textHash: documentTextHash(data as Record<string, unknown>),
    language: documentLanguage(data as Record<string, unknown>),
    version: 1,
    systemMetadata: {},
    createdAt: new Date('2026-05-01T00:00:00Z'),
    updatedAt: new Date('2026-05-01T00:00:00Z'),
  })
  async function keep(docId: string, data: object) {
    const row = rowOf(docId, data)
    await test.store.transact({ tenantId: tenant }, (writer) => insertDocuments(writer, [row]))
    return row
  }
  async function work(kind: PendingKind = 'document'): Promise<BatchOutcome | null> {
    const batch = await takeBatch(test, kind)
    if (!batch) return null
    return kind === 'document' ? JOBS.indexDocuments.run(jobs, batch) : JOBS.embedDocuments.run(jobs, batch)
  }
  const pendingKinds = () =>
    test.store.read({ tenantId: tenant }, async ({ db }) => {
      const rows = await db.selectFrom('index_pending').select('kind').where('settled_at', 'is', null).execute()
      return rows.map(({ kind }) => kind)
    })

  it('write the whole index document, into the corpus of documents', async () => {
    const { id } = await keep('night', DATA)
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    const document = entryOf(id)!.document!
    expect(document).to.deep.include({
      agentId: null,
      fleetId: 'red',
      visibility: 'scope_team',
      memoryType: null,
      status: 'active',
      createdAt: Date.parse('2026-05-01T00:00:00Z'),
      entityIds: [],
    })
    expect([...document.terms].sort()).to.eql(['ana', 'call', 'night', 'restart', 'shift'])
    expect(document.metadataTerms).to.have.members([
      collectionTerm('runbooks'),
      docIdTerm('night'),
      updateTerm(Date.parse('2026-05-01T00:00:00Z')),
      languageTerm('en'),
      ...['title', 'body', 'tier', 'tags'].map(keyTerm),
      metadataTerm('title', fieldValue('Night shift')),
      metadataTerm('tier', fieldValue(2)),
      metadataTerm('open', fieldValue(null)),
      memberTerm('tags', fieldValue('a')),
    ])
    expect(document.vector).to.have.length(64)
    expect(context.embedder.texts).to.eql(['Night shift'])
    expect(context.index.documents(tenant).size).to.equal(0)
    expect(await pendingKinds()).to.eql([])
  })

  it('write at most 4,096 members of lists, the short lists first, and a mark for what is left out', async () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
    const { id: long } = await keep('long', { ids: numbers(10_000), half: numbers(4_000), tags: ['a'] })
    const { id: many } = await keep('many', Object.fromEntries(numbers(5_000).map((i) => [`k${i}`, [i]])))
    await work()
    const terms = (id: string) => entryOf(id)!.document!.metadataTerms
    const list = (key: string, ...values: Scalar[]) => values.map((value) => memberTerm(key, fieldValue(value)))
    const named = (docId: string) => [
      collectionTerm('runbooks'),
      docIdTerm(docId),
      updateTerm(Date.parse('2026-05-01T00:00:00Z')),
    ]
    expect(terms(long)).to.have.members([
      ...named('long'),
      ...['ids', 'half', 'tags'].map(keyTerm),
      ...['ids', 'half'].map((key) => memberTerm(key, COMPARED_LIST)),
      memberTerm('ids', LONG_LIST),
      ...list('half', ...numbers(4_000)),
      ...list('tags', 'a'),
    ])
    expect(terms(many)).to.have.members([...named('many'), UNLISTED_TERM])
  })

  it('write the times that texts are, and a mark for lists that bounds compare', async () => {
    const { id } = await keep('due', { due: '2026-01-31', days: ['2026-02-01', 'x'], tags: ['a'], none: null })
    await work()
    const { metadataTerms: terms } = entryOf(id)!.document!
    expect(terms).to.include.members([
      metadataTerm('due', timeValue(Date.UTC(2026, 0, 31))),
      memberTerm('days', COMPARED_LIST),
      keyTerm('tags'),
    ])
    expect(terms).not.to.include.members([memberTerm('tags', COMPARED_LIST)])
    expect(terms).not.to.include.members([keyTerm('none')])
  })

  it('store the members of all documents of an earlier version, while few rows wait', async () => {
    const aged = async (count: number) => {
      const rows = Array.from({ length: count }, () => rowOf(randomUUID(), { n: 1 }))
      await test.store.transact({ tenantId: tenant }, (writer) => insertDocuments(writer, rows))
      await test.store.asSystem(({ db }) => db.updateTable('documents').set({ members_stored: null }).execute())
    }
    const left = async () => {
      await JOBS.storeFormerMembers.run(jobs, new AbortController().signal)
      const rows = await test.store.asSystem(({ db }) =>
        db.selectFrom('documents').select('id').where('members_stored', 'is', null).execute(),
      )
      return rows.length
    }
    await aged(60)
    expect(await left()).to.equal(0)
    await aged(300)
    expect(await left()).to.be.at.least(300)
  })

  it('read a batch of large documents in parts of 4 MiB, and pages of a backfill likewise', async () => {
    const large = { text: 'word '.repeat(50_000), summary: 'long' }
    const rows = Array.from({ length: 40 }, (_, i) => rowOf(`d${i}`, large))
    await test.store.transact({ tenantId: tenant }, (writer) => insertDocuments(writer, rows))
    expect(await work()).to.deep.equal({ settled: 40, failed: 0, released: 0 })
    expect(context.index.calls.map(({ size }) => size)).to.deep.equal([16, 16, 8])
    const ids = rows.map(({ id }) => id).sort()
    const range = { after: NIL, until: ids.at(-1)!, limit: 1_000 }
    const page = await test.store.read({ tenantId: tenant }, (reader) => readLiveDocuments(reader, range))
    expect(page.map(({ id }) => id)).to.deep.equal(ids.slice(0, 17))
  })

  it('begin no further part once the engine is unavailable', async () => {
    const large = { text: 'word '.repeat(50_000), summary: 'long' }
    const rows = Array.from({ length: 20 }, (_, i) => rowOf(`d${i}`, large))
    await test.store.transact({ tenantId: tenant }, (writer) => insertDocuments(writer, rows))
    context.index.isAway = true
    expect(await work()).to.deep.equal({ settled: 0, failed: 0, released: 20 })
    expect(context.index.calls.map(({ size }) => size)).to.deep.equal([16])
  })

  it('yield to the event loop while a long document is analysed', async () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `w${i.toString(36)}`).join(' ')
    const stored = { ...rowOf('long', { text }), language: 'en' }
    const entry = new Slices().run(DOCUMENTS.entryOf({ id: randomUUID(), seq: 1, stored }))
    let isDone = false
    void entry.then(() => (isDone = true))
    let turns = 0
    while (!isDone) await new Promise<void>((resolve) => setImmediate(() => resolve(void turns++)))
    expect(turns).to.be.greaterThan(3)
    expect((await entry).document!.terms).to.deep.equal(analyse(text, 'en'))
  })

  it('write a tombstone for a deleted one', async () => {
    const row = await keep('night', DATA)
    await work()
    await test.store.transact({ tenantId: tenant }, (writer) => deleteDocument(writer, row, new Date()))
    await work()
    expect(entryOf(row.id)!.document).to.equal(null)
  })

  it('index without vectors while the embedder is unavailable, and add the vectors later', async () => {
    const { id } = await keep('night', DATA)
    context.embedder.isAway = true
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect(entryOf(id)!.document!.vector).to.equal(null)
    expect(await pendingKinds()).to.eql(['document_vector'])
    context.embedder.isAway = false
    await until('the document has its vector', async () => {
      await work('document_vector')
      return entryOf(id)!.document!.vector !== null
    })
    expect(await pendingKinds()).to.eql([])
  })

  it('embed a text that two documents share only once', async () => {
    const { textHash } = await keep('night', { summary: 'Night shift' })
    await work()
    await keep('late', { title: 'Night shift', other: 'words' })
    await work()
    expect(context.embedder.texts).to.eql(['Night shift'])
    const kept = await test.store.read({ tenantId: tenant }, ({ db }) =>
      db.selectFrom('vectors').select('text_hash').execute(),
    )
    expect(kept.map(({ text_hash: hash }) => hash.equals(textHash))).to.eql([true])
  })

  it('do not resurrect a document that was deleted before its vector was written', async () => {
    const row = await keep('night', DATA)
    context.embedder.isAway = true
    await work()
    context.embedder.isAway = false
    await test.store.transact({ tenantId: tenant }, (writer) => deleteDocument(writer, row, new Date()))
    await work()
    await until('the document is worked on', async () => expect(await work('document_vector')).to.not.equal(null))
    expect(entryOf(row.id)!.document).to.equal(null)
    expect(await pendingKinds()).to.eql([])
  })

  it('requeue the whole batch without an attempt while the engine is unavailable', async () => {
    const { id } = await keep('night', DATA)
    context.index.isAway = true
    expect(await work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    context.index.isAway = false
    await until('the document is in the index', async () => {
      await work()
      return entryOf(id) !== undefined
    })
  })

  it('are not claimed with the memories, nor the other way round', async () => {
    const { id } = await keep('night', DATA)
    expect(await takeBatch(test, 'memory')).to.equal(undefined)
    await test.store.transact({ tenantId: tenant }, (writer) => enqueue(writer, 'memory', [randomUUID()]))
    expect((await takeBatch(test))!.ids).not.to.include(id)
  })
})
