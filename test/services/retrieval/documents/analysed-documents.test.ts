import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { AnalysedDocuments } from '../../../../services/retrieval/documents/analysed-documents.js'
import { fieldChanges } from '../../../../domain/documents/changes.js'
import { hashTerms } from '../../../../domain/ranking/hashed-terms.js'
import type { Embedder } from '../../../../models/embedder.js'
import type { DocumentRow } from '../../../../store/documents/document-row.js'
import { hydrateDocuments } from '../../../../store/documents/search-rows.js'
import { insertDocuments, updateDocuments } from '../../../../store/documents/write-documents.js'
import type { Reader } from '../../../../store/store.js'
import { newDocument } from '../../../support/documents.js'
import { createTestStore, type TestStore } from '../../../support/test-store.js'
import { until } from '../../../support/states.js'

describe('analysed documents', () => {
  const signal = new AbortController().signal
  let embedded: string[]
  let embedding: () => Promise<void>
  const EMBEDDER = {
    id: 'none',
    inline: true,
    remote: false,
    async embed(texts: readonly string[]) {
      embedded.push(...texts)
      await embedding()
      return texts.map(() => new Float32Array(4))
    },
  } as unknown as Embedder
  let test: TestStore
  beforeEach(() => {
    embedded = []
    embedding = () => Promise.resolve()
  })
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  it('are limited to 2,000,000 characters of JSON in one search, which gets further the next time', async () => {
    const { read, store, hydrate } = newTenant()
    const rows = Array.from({ length: 20 }, () => newDocument({ list: Array.from({ length: 85_000 }, () => ({})) }))
    await store(rows)
    const analysed = new AnalysedDocuments(EMBEDDER)
    const found = async () => {
      const { texts, complete } = await analysed.textsOf(read, await hydrate(rows), signal)
      return [texts.size, complete]
    }
    expect([await found(), await found(), await found()]).to.deep.equal([
      [8, false],
      [16, false],
      [20, true],
    ])
  })

  it('are embedded without holding a database connection', async () => {
    const { read, store, hydrate } = newTenant()
    const rows = [newDocument({ text: 'one' }), newDocument({ text: 'two' })]
    await store(rows)
    const inUse = () => test.store.poolUse().app.total - test.store.poolUse().app.idle
    let embeddings = 0
    embedding = async () => {
      // A read's commit is not waited for.
      await until('no connection is in use', () => expect(inUse()).to.equal(0))
      embeddings++
    }
    const { texts } = await new AnalysedDocuments(EMBEDDER).textsOf(read, await hydrate(rows), signal)
    expect([texts.size, embeddings]).to.deep.equal([2, 1])
  })

  it('are analysed and cached as they are when they are read', async () => {
    const { read, store, hydrate, change } = newTenant()
    const row = newDocument({ text: 'cat' })
    await store([row])
    const found = await hydrate([row])
    await change(row, { text: 'dog' })
    const analysed = new AnalysedDocuments(EMBEDDER)
    const { texts } = await analysed.textsOf(read, found, signal)
    await analysed.textsOf(read, await hydrate([row]), signal)
    expect([texts.get(row.id)!.terms, embedded]).to.deep.equal([hashTerms(['dog']), ['dog']])
  })

  it('are left out when they were deleted meanwhile', async () => {
    const { read } = newTenant()
    const gone = { id: randomUUID(), version: 1, updatedAt: 0 }
    const { texts, complete } = await new AnalysedDocuments(EMBEDDER).textsOf(read, [gone], signal)
    expect([texts.size, complete]).to.deep.equal([0, true])
  })

  function newTenant() {
    const tenant = { tenantId: `t-${randomUUID()}` }
    const read = <T>(work: (reader: Reader) => Promise<T>) => test.store.read(tenant, work)
    return {
      read,
      store: (rows: readonly DocumentRow[]) => test.store.transact(tenant, (writer) => insertDocuments(writer, rows)),
      hydrate(rows: readonly DocumentRow[]) {
        const filter = { collection: undefined, fleetId: undefined, where: [] }
        const ids = rows.map(({ id }) => id)
        return read((reader) => hydrateDocuments(reader, filter, ids))
      },
      change(row: DocumentRow, data: DocumentRow['data']) {
        const after = { ...newDocument(data), id: row.id, version: row.version + 1 }
        const fields = fieldChanges(row.data, data)
        return test.store.transact(tenant, (writer) =>
          updateDocuments(writer, [{ before: row, after, fields }], after.updatedAt),
        )
      },
    }
  }
})
