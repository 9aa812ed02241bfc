import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { fieldChanges } from '../../domain/documents/changes.js'
import { compactDocumentCounters, listCollections } from '../../store/documents/collections.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import { deleteDocument, insertDocuments, updateDocuments } from '../../store/documents/write-documents.js'
import { storeVectors } from '../../store/vectors.js'
import type { Store } from '../../store/store.js'
import { newDocument } from '../support/documents.js'
import { gate } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('counts of documents', () => {
  let test: TestStore
  let store: Store
  let tenantId: string
  before(async () => {
    test = await createTestStore()
    store = test.store
  })
  after(() => test.stop())
  beforeEach(() => {
    tenantId = `t-${randomUUID()}`
  })

  const put = (...rows: DocumentRow[]) => store.transact({ tenantId }, (writer) => insertDocuments(writer, rows))
  const remove = (row: DocumentRow, at = new Date()) =>
    store.transact({ tenantId }, (writer) => deleteDocument(writer, row, at))
  const compact = (limit?: number) => store.asSystem((system) => compactDocumentCounters(system, { limit }))
  const compactAll = async () => {
    while ((await compact()) !== 0);
  }
  const listed = async (fleetId?: string) =>
    (await store.read({ tenantId }, (reader) => listCollections(reader, fleetId))).map(
      ({ name, count, updatedAt }) => [name, count, updatedAt.toISOString()] as const,
    )
  const counters = () =>
    store.asSystem(({ db }) =>
      db.selectFrom('document_counters').selectAll().where('tenant_id', '=', tenantId).execute(),
    )
  const total = async () =>
    (
      await store.asSystem(({ db }) =>
        db.selectFrom('tenant_totals').select('documents').where('tenant_id', '=', tenantId).executeTakeFirst(),
      )
    )?.documents
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const made = (fleetId: string | null, second: number) =>
    newDocument({}, { fleetId, createdAt: at(second), updatedAt: at(second) })

  it('are the same before and after compaction, with the time of the last change', async () => {
    const [red, blue] = [made('red', 1), made('blue', 2)]
    await put(red)
    await put(blue)
    const after = { ...red, data: { n: 1 }, version: 2, updatedAt: at(5) }
    await store.transact({ tenantId }, (writer) =>
      updateDocuments(writer, [{ before: red, after, fields: fieldChanges(red.data, after.data) }], at(5)),
    )
    const expected = [['c', 2, at(5).toISOString()]]
    expect(await listed()).to.deep.equal(expected)
    await compactAll()
    expect(await listed()).to.deep.equal(expected)
    expect(await listed('blue')).to.deep.equal([['c', 1, at(2).toISOString()]])
    expect([(await counters()).length, await total()]).to.deep.equal([2, 2])
  })

  it('have the time of the latest change, in any order and rounds of compaction', async () => {
    await put(made(null, 5), made(null, 5))
    await compactAll()
    // Written by a process whose clock is behind.
    const late = made(null, 3)
    await put(late)
    await put(made(null, 4))
    await remove(late, at(2))
    await compactAll()
    expect(await listed()).to.deep.equal([['c', 3, at(5).toISOString()]])
    const young = made('red', 9)
    await put(young)
    await remove(young, at(8))
    expect(await listed()).to.deep.equal([['c', 3, at(9).toISOString()]])
    await compactAll()
    expect([await listed(), await total()]).to.deep.equal([[['c', 3, at(9).toISOString()]], 3])
  })

  it('of a fleet without documents are removed with the collection, and keep the time of their last change until then', async () => {
    const [red, blue] = [made('red', 1), made('blue', 2)]
    await put(red)
    await put(blue)
    await compactAll()
    await remove(red, at(7))
    await compactAll()
    expect(await listed()).to.deep.equal([['c', 1, at(7).toISOString()]])
    expect(await counters()).to.have.length(2)
    await remove(blue, at(8))
    expect(await listed()).to.deep.equal([])
    await compactAll()
    expect([await listed(), await counters(), await total()]).to.deep.equal([[], [], 0])
  })

  it('are compacted by one process at a time, no more than the limit in one round', async () => {
    await compactAll()
    for (let i = 0; i < 5; i++) await put(made(null, i))
    expect(await compact(3)).to.equal(3)
    const [compacted, release] = [gate(), gate()]
    const first = store.asSystem(async (system) => {
      const count = await compactDocumentCounters(system)
      compacted.open()
      await release.opened
      return count
    })
    await compacted.opened
    expect(await compact()).to.equal(null)
    release.open()
    expect(await first).to.equal(2)
    expect((await listed())[0]![1]).to.equal(5)
  })

  it('are exact at every moment, while documents are written and deleted and two processes compact', async () => {
    let isWriting = true
    const writers = [0, 1, 2].map(async (writer) => {
      for (let i = 0; i < 20; i++) {
        const row = made(['red', 'blue', null][(writer + i) % 3]!, i)
        await put(row)
        if (i % 2) await remove(row)
      }
    })
    const compacting = [0, 1].map(async () => {
      while (isWriting) await compact(4)
    })
    const reading = (async () => {
      while (isWriting) {
        const { counted, scanned } = await store.read({ tenantId }, async (reader) => ({
          counted: (await listCollections(reader, undefined))[0]?.count ?? 0,
          scanned: (await reader.db.selectFrom('documents').select('id').execute()).length,
        }))
        expect(counted).to.equal(scanned)
      }
    })()
    await Promise.all(writers).finally(() => (isWriting = false))
    await Promise.all([...compacting, reading])
    await compactAll()
    expect([(await listed())[0]![1], await total()]).to.deep.equal([30, 30])
  })

  it('leave no traces of a deleted document: neither its fields and members nor the vector that only it had', async () => {
    const [own, shared] = [
      newDocument({ summary: 'own', n: 1, tags: ['own'] }),
      newDocument({ summary: 'shared', n: 1 }),
    ]
    const other = newDocument({ summary: 'shared' })
    await put(own, shared, other)
    await store.transact({ tenantId }, (writer) =>
      storeVectors(
        writer,
        'm',
        [own, shared].map(({ textHash }) => ({ textHash, vector: Float32Array.of(1) })),
      ),
    )
    await remove(own)
    await remove(shared)
    const left = await store.read({ tenantId }, async ({ db }) => ({
      fields: (await db.selectFrom('document_fields').select('document_id').execute()).map((row) => row.document_id),
      members: await db.selectFrom('document_members').select('document_id').execute(),
      vectors: (await db.selectFrom('vectors').select('text_hash').execute()).map((row) => row.text_hash),
    }))
    expect(left).to.deep.equal({ fields: [other.id], members: [], vectors: [other.textHash] })
  })
})
