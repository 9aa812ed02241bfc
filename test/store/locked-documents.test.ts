import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { ActingAuthor } from '../../services/access/author.js'
import { storeDocuments } from '../../services/documents/store-documents.js'
import { lockDocuments, insertDocuments } from '../../store/documents/write-documents.js'
import { newDocument } from '../support/documents.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('locked documents', () => {
  const NAMES = Array.from({ length: 50 }, (_, i) => `d${String(i).padStart(2, '0')}`)
  const tenantId = `t-${randomUUID()}`
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    const rows = NAMES.map((docId) => newDocument({ text: 'x'.repeat(250_000), n: 1 }, { docId }))
    await test.store.transact({ tenantId }, (writer) => insertDocuments(writer, rows))
  })
  after(() => test.stop())

  it('are read up to 8 MiB at once, by name, and the names of the others are returned', async () => {
    const { locked, unread } = await test.store.transact({ tenantId }, (writer) => lockDocuments(writer, 'c', NAMES))
    expect([...locked.keys()].sort()).to.deep.equal(NAMES.slice(0, 34))
    expect([...unread].sort()).to.deep.equal(NAMES.slice(34))
    expect(locked.get('d00')!.data).to.include({ n: 1 })
  })

  it('are all changed by one bulk write, however many parts they are read in', async () => {
    const author = { agentId: null, fleetId: null }
    const acting = { author, viewer: { agentId: null, fleetId: null, trust: 2 } } as unknown as ActingAuthor
    const drafts = [...NAMES, 'new'].map((docId) => ({ docId, data: { n: 2 }, fleetId: null, path: [] }))
    const outcomes = await test.store.transact({ tenantId }, (writer) =>
      storeDocuments(writer, acting, drafts, { collection: 'c', at: new Date(), signal: new AbortController().signal }),
    )
    const told = outcomes.map((outcome) => outcome.status !== 'error' && [outcome.row.docId, outcome.row.version])
    expect(told).to.deep.equal([...NAMES.map((name) => [name, 2]), ['new', 1]])
    const { locked } = await test.store.transact({ tenantId }, (writer) => lockDocuments(writer, 'c', NAMES))
    expect(new Set([...locked.values()].map(({ data }) => data.n))).to.deep.equal(new Set([2]))
    expect(locked.size).to.equal(50)
  })

  it('are unlocked when the request is over', async () => {
    const author = { agentId: null, fleetId: null }
    const acting = { author, viewer: { agentId: null, fleetId: null, trust: 2 } } as unknown as ActingAuthor
    const drafts = [{ docId: 'late', data: { n: 3 }, fleetId: null, path: [] }]
    const options = { collection: 'c', at: new Date(), signal: AbortSignal.abort(new Error('over')) }
    const work = test.store.transact({ tenantId }, (writer) => storeDocuments(writer, acting, drafts, options))
    expect(await work.then(null, (error: Error) => error.message)).to.equal('over')
    const { locked } = await test.store.transact({ tenantId }, (writer) => lockDocuments(writer, 'c', ['late']))
    expect(locked.size).to.equal(0)
  })
})
